import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Sluice","description":"","frontmatter":{},"headers":[],"relativePath":"index.md","filePath":"index.md"}');
const _sfc_main = { name: "index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="sluice" tabindex="-1">Sluice <a class="header-anchor" href="#sluice" aria-label="Permalink to &quot;Sluice&quot;">​</a></h1><p>Sluice is a self-hosted AI gateway: one API key for every provider, each call metered, charged and shown in a console. It is one executable with its database inside.</p><p><strong>Use it</strong></p><ul><li><a href="./guide/getting-started">Getting started</a>: run it, add a channel, make the first call.</li><li><a href="./guide/concepts">Concepts</a>: the words that the console and these pages use.</li><li><a href="./guide/console">Console tour</a>: the pages, with pictures.</li><li><a href="./guide/channels">Channels and providers</a> and the <a href="./guide/compatibility">compatibility matrix</a>.</li><li><a href="./guide/pricing">Pricing and billing</a>, the <a href="./guide/model-catalog">model catalog</a>, <a href="./accounts/plans">plans</a>, <a href="./accounts/statements">statements</a> and <a href="./guide/organizations">organizations</a>.</li><li><a href="./guide/api">API reference</a>.</li><li><a href="./guide/migration">Migration</a> from one-api, new-api, Veloera or LiteLLM.</li></ul><p><strong>Run it</strong></p><ul><li><a href="./operate/configuration">Configuration</a>: environment variables and commands.</li><li><a href="./operate/deployment">Deployment</a>: systemd, containers, Kubernetes, reverse proxies, replicas.</li><li><a href="./operate/operations">Operations</a>: backup, upgrade, restart, lost nodes.</li><li><a href="./operate/outages">Outages of Postgres</a>, <a href="./operate/alerts">alerts</a>, <a href="./operate/metrics">metrics</a>, <a href="./operate/monitoring/telemetry">OpenTelemetry</a>, <a href="./operate/monitoring/exports">usage exports</a>, <a href="./operate/secrets">secret managers</a>, <a href="./operate/security">security</a>, <a href="./operate/benchmarks">benchmarks</a>.</li></ul><p><strong>Understand it</strong></p><ul><li><a href="./architecture">Architecture</a>, <a href="./decisions/">decisions</a>, <a href="./contributing">contributing</a>.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
