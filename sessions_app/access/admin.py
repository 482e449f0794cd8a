"""Users and groups, for staff, by Django's admin. Sessions have pages of their own."""

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, URLResolver
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from sessions_app.access.models import User
from sessions_app.access.roles import Role

if TYPE_CHECKING:
    UserAdminBase = auth_admin.UserAdmin[User]
    GroupAdminBase = ModelAdmin[Group]
else:
    UserAdminBase, GroupAdminBase = auth_admin.UserAdmin, ModelAdmin

View = Callable[..., HttpResponseBase]

LEFT_OUT = {"login", "logout", "password_change", "password_change_done", "autocomplete", "view_on_site"}
"""Signing in and out have their pages, where tries are counted; nothing here uses the others."""


class UsersSite(AdminSite):
    """Open to the role `staff`. Django's flags `is_staff` and `is_superuser` decide nothing: a role that is taken away
    must take all of it along.
    """

    site_title = site_header = gettext_lazy("Users")
    index_title = gettext_lazy("Users and groups")
    final_catch_all_view = False
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return isinstance(user, User) and user.is_active and user.role == Role.STAFF

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        shown = super().admin_view(view, cacheable)

        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if not self.has_permission(request):
                raise PermissionDenied(_("Users are managed by the role staff."))
            return shown(request, *args, **kwargs)  # type: ignore[no-any-return]

        return update_wrapper(checked, view)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        return [url for url in super().get_urls() if getattr(url, "name", None) not in LEFT_OUT]


class ByRole:
    """May all that the site lets do. Nobody is deleted: sessions and the ledger name their users."""

    admin_site: AdminSite

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.admin_site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admin_site.has_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admin_site.has_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.admin_site.has_permission(request)


class NewUserForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("username", "role")


class UserAdmin(ByRole, UserAdminBase):
    add_form = NewUserForm
    list_display = ("username", "role", "is_active", "email", "last_login")
    list_filter = ("role", "is_active", "groups")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (gettext_lazy("What he may do"), {"fields": ("role", "is_active", "groups")}),
        (gettext_lazy("Personal info"), {"fields": ("first_name", "last_name", "email")}),
        (gettext_lazy("Important dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("username", "role", "usable_password", "password1", "password2")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Nobody shuts himself out."""
        own = obj is not None and obj.pk == request.user.pk
        return ("last_login", "date_joined", *(("role", "is_active") if own else ()))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False


class GroupAdmin(ByRole, GroupAdminBase):
    """A group is a name to sort users by: rights come from roles."""

    fields = ("name",)
    search_fields = ("name",)
    ordering = ("name",)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return self.has_change_permission(request, obj)


site = UsersSite(name="admin")
site.register(User, UserAdmin)
site.register(Group, GroupAdmin)
