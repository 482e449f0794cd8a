from django.urls import path

from inspector.views import sign_in

urlpatterns = [
    path("login/", sign_in.SignIn.as_view(), name="login"),
    path("login/link/<str:secret>/", sign_in.login_link, name="login_link"),
    path("logout/", sign_in.SignOut.as_view(), name="logout"),
]
