// Swagger UI on our schema. Trying a call out uses the browser's login, which needs Django's CSRF token.
const page = document.getElementById("docs");

function csrfToken() {
  const cookie = document.cookie.split("; ").find((c) => c.startsWith("csrftoken="));
  return cookie ? cookie.slice("csrftoken=".length) : "";
}

window.SwaggerUIBundle({
  url: page.dataset.schema,
  domNode: page,
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  requestInterceptor(request) {
    if (new URL(request.url, window.location.href).origin === window.location.origin) {
      request.headers["X-CSRFToken"] = csrfToken();
    }
    return request;
  },
});
