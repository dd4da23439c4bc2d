import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Decisions","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/index.md","filePath":"decisions/index.md"}');
const _sfc_main = { name: "decisions/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="decisions" tabindex="-1">Decisions <a class="header-anchor" href="#decisions" aria-label="Permalink to &quot;Decisions&quot;">​</a></h1><p>One page a decision: the problem, what was decided, what was measured.</p><ul><li><a href="./database/embedded-engine">Embedded engine</a>: PGlite in a worker when no Postgres server is configured.</li><li><a href="./billing/journal">Journal</a>: each charge is on the local disk before its call ends.</li><li><a href="./billing/journal-copy">Copy of the journal</a>: a Redis stream for nodes that are lost with their disks.</li><li><a href="./billing/outage-contract">Outages of Postgres</a>: what may be spent while the database is away.</li><li><a href="./gateway/passthrough">Passthrough</a>: calls in the provider&#39;s own format are forwarded as bytes.</li><li><a href="./gateway/json-splice">Editing JSON in place</a>: members of a request change without rewriting it.</li><li><a href="./gateway/http-transport">HTTP transport</a>: upstreams are called with the runtime&#39;s <code>fetch</code>.</li><li><a href="./database/postgres-driver">Postgres driver</a>: postgres.js with a patch for lost connections.</li><li><a href="./project/typed-api">Typed console API</a>: the console calls the server through Eden treaty, a client a group of routes.</li><li><a href="./console">Console</a>: what differs from the drawings; languages; installing.</li><li><a href="./specification">Specification</a>: what was seen of each of its lines, and what differs.</li><li><a href="./project/forms">Forms</a>: the console&#39;s forms share one hook over react-hook-form.</li><li><a href="./project/organizations">Organizations</a>: an account that people share, and that nobody signs in to.</li><li><a href="./project/libraries">Libraries</a>: which ones were taken, which were measured and left.</li><li><a href="./gateway/workers">Workers</a>: all cores of one host by processes under a supervisor.</li><li><a href="./gateway/rate-limits">Rate limits</a>: counting in slices of the window.</li><li><a href="./house">The redesign</a>: the console&#39;s pages before and after it.</li><li><a href="./project/mutation">Mutation testing</a>: which changes of prices, billing and routing the tests notice.</li><li><a href="./project/documentation-site">Documentation site</a>: VitePress, embedded in the executable.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
