"""The form that makes an API token."""

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from sessions_app.access.roles import Role
from sessions_app.access.tokens import check_token_name


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=150,
        widget=forms.TextInput(attrs={"placeholder": _("what will use it: ci, laptop"), "autocomplete": "off"}),
    )
    role = forms.ChoiceField(label=_("Role"))

    def __init__(self, data: QueryDict | None = None, *, user_role: Role) -> None:
        """Offers what the user may hand on: at most his own role, and first the one that a program needs."""
        super().__init__(data, label_suffix="")
        role = self.fields["role"]
        assert isinstance(role, forms.ChoiceField)
        role.choices = [(r.value, r.label) for r in user_role.and_lower]
        role.initial = Role.OPERATOR.at_most(user_role).value

    def clean_name(self) -> str:
        return check_token_name(self.cleaned_data["name"])

    @property
    def chosen_role(self) -> Role:
        return Role(self.cleaned_data["role"])
