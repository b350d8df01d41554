"use strict";

// The key that is typed in stays in this page: nothing of it is stored, and nothing is asked of other addresses.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#interface",
  validatorUrl: null,
  persistAuthorization: false,
  queryConfigEnabled: false,
  withCredentials: false,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
});
