from django.urls import include, path

from sessions_app.access.admin import site as users_site

urlpatterns = [
    path("api/v1/", include("sessions_app.api.urls")),
    path("", include("sessions_app.api.health")),
    path("admin/", users_site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("inspector.urls")),
]

handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
