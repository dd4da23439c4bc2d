import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"The journal's second home is a Redis stream","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/billing/journal-copy.md","filePath":"decisions/billing/journal-copy.md"}`);
const _sfc_main = { name: "decisions/billing/journal-copy.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="the-journal-s-second-home-is-a-redis-stream" tabindex="-1">The journal&#39;s second home is a Redis stream <a class="header-anchor" href="#the-journal-s-second-home-is-a-redis-stream" aria-label="Permalink to &quot;The journal&#39;s second home is a Redis stream&quot;">​</a></h1><p><strong>Problem.</strong> A charge is promised once it is in the local journal. When the node and its disk are gone, so are the charges that the database had not taken: about a second&#39;s worth, or a whole outage.</p><p><strong>Decision.</strong> With a Postgres server and <code>REDIS_URL</code>, each process appends its records to a stream of its own. Entries are numbered by their last record, so trimming and repeated sending need no bookkeeping. <code>NOMKSTREAM</code> makes a lost stream visible; the process then sends all that waits again.</p><ul><li><em>Order.</em> The runtime writes a Redis command after the current callback. Commands are therefore issued in a stage before the journal&#39;s file write: a system-call trace shows <code>XADD</code>, the file write, then the client&#39;s response.</li><li><em>Cost.</em> 3.8 µs of CPU an entry of 500 bytes (100,000 entries, loopback). No call waits for an answer.</li><li><em>Redis away, slow (8 MiB unanswered, or 5 s silent) or full.</em> The copy falls behind, memory stays bounded, and it catches up from the journal&#39;s files.</li><li><em>Taking over.</em> When a lease (30 s) has expired, another replica charges the stream before it releases the holds. Batches take the ledger&#39;s lock first, so that several replicas and a returning disk charge each record once.</li><li><em>Memory of the database.</em> Records are recognized by log rows. Clearing the log notes how far; unknown records that are older are put aside instead of being charged.</li></ul><p><strong>Checksums.</strong> The embedded engine (Postgres 18) initializes with data checksums by default, and so does our seed: nothing had to be changed, and existing directories keep working. A test damages a page and expects an error.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/billing/journal-copy.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const journalCopy = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  journalCopy as default
};
