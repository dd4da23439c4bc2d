import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"Calls in the provider's own format pass through as bytes","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/gateway/passthrough.md","filePath":"decisions/gateway/passthrough.md"}`);
const _sfc_main = { name: "decisions/gateway/passthrough.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="calls-in-the-provider-s-own-format-pass-through-as-bytes" tabindex="-1">Calls in the provider&#39;s own format pass through as bytes <a class="header-anchor" href="#calls-in-the-provider-s-own-format-pass-through-as-bytes" aria-label="Permalink to &quot;Calls in the provider&#39;s own format pass through as bytes&quot;">​</a></h1><p><strong>Problem.</strong> Parsing and writing a body again costs CPU, loses fields that the gateway does not know, and changes bytes by which providers cache prompts.</p><p><strong>Decision.</strong> If the client&#39;s format is the channel&#39;s own and nothing must change, the response&#39;s bytes are forwarded as they arrive and the request&#39;s text is edited in place (<a href="./json-splice">JSON splice</a>): the model&#39;s name, <code>stream_options</code>, configured overrides. Usage is read beside the stream, without serializing it again.</p><p>Everything else goes through one neutral conversation: a codec for each client format and each provider format, so N + M codecs instead of N × M converters. Fields that a target cannot express are collected and reported (<code>X-Sluice-Dropped</code>).</p><p><strong>Measured</strong> on Postgres: a stream of 100 chunks costs 321 µs of CPU passed through, 498 µs from Anthropic&#39;s format and 561 µs from Gemini&#39;s.</p><p><strong>Exceptions.</strong> <code>force_format</code>, <code>thinking_to_content</code>, a channel&#39;s system prompt, the word filter on responses, files that have to be fetched, and suffixes of model names are translated also between equal formats.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/gateway/passthrough.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const passthrough = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  passthrough as default
};
