import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Each charge is in a local journal before its call ends","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/billing/journal.md","filePath":"decisions/billing/journal.md"}');
const _sfc_main = { name: "decisions/billing/journal.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="each-charge-is-in-a-local-journal-before-its-call-ends" tabindex="-1">Each charge is in a local journal before its call ends <a class="header-anchor" href="#each-charge-is-in-a-local-journal-before-its-call-ends" aria-label="Permalink to &quot;Each charge is in a local journal before its call ends&quot;">​</a></h1><p><strong>Problem.</strong> Charging in the database before a response ends makes every call wait for it. Charging afterwards loses money when the process dies or the database is away.</p><p><strong>Decision.</strong> Before a call&#39;s connection is closed, its record is appended to an append-only file in <code>DATA_DIR/journal</code>. One write takes all calls that end in the same tick of the event loop. A writer moves records to the database in batches, each in one statement (log row, roll-up, counters), each exactly once by its id, then trims the file.</p><p><strong>What follows.</strong></p><ul><li>A killed process charges what is left at its next start.</li><li>A database outage makes the file longer, about 1 KB a call; <code>/readyz</code> says so.</li><li>A process whose disk is lost loses what was not written, unless <a href="./journal-copy">Redis keeps a copy</a>.</li><li>A line that is damaged, or that the database refuses, is set aside with its bytes and never blocks the others.</li></ul><p><strong>Proof.</strong> Tests kill the process with <code>kill -9</code> at random moments and cut connections in the middle of statements; afterwards every sum is added up again and must be equal.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/billing/journal.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const journal = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  journal as default
};
