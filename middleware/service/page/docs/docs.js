// The API's documentation, shown by Swagger UI from the service itself.

const failed = (message) => {
  document.getElementById("api").textContent = message;
};

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches); // a class of Swagger UI
dark.addEventListener("change", follow);
follow();

// What Swagger UI leaves out: names of some controls, and a way for the keyboard into texts that scroll.
const NAMES = { ".body-param__text": "Request body", ".examples-select-element": "Example", ".close-modal": "Close" };
function complete() {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const control of document.querySelectorAll(`${selector}:not([aria-label])`)) control.setAttribute("aria-label", name);
  }
  for (const text of document.querySelectorAll("pre.microlight:not([tabindex])")) text.tabIndex = 0;
}

// Swagger UI puts a link inside of the button that opens an operation; the button itself keeps the address up to date.
const withoutLinksInButtons = ({ React }) => ({ components: { DeepLink: ({ text }) => React.createElement("span", {}, text) } });

if (window.SwaggerUIBundle) {
  new MutationObserver(complete).observe(document.getElementById("api"), { childList: true, subtree: true });
  window.SwaggerUIBundle({
    dom_id: "#api",
    url: "openapi.json",
    deepLinking: true,
    tryItOutEnabled: true,
    persistAuthorization: false,
    validatorUrl: null,
    syntaxHighlight: { theme: "tomorrow-night" },
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [withoutLinksInButtons],
    layout: "BaseLayout",
  });
} else {
  failed("The documentation could not be shown: its script did not load. The OpenAPI document above has the same content.");
}
