import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"The embedded engine is PGlite","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/database/embedded-engine.md","filePath":"decisions/database/embedded-engine.md"}');
const _sfc_main = { name: "decisions/database/embedded-engine.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="the-embedded-engine-is-pglite" tabindex="-1">The embedded engine is PGlite <a class="header-anchor" href="#the-embedded-engine-is-pglite" aria-label="Permalink to &quot;The embedded engine is PGlite&quot;">​</a></h1><p><strong>Problem.</strong> One file must run without a database server, and the same code must run on many replicas.</p><p><strong>Decision.</strong> There is one SQL dialect (Postgres), one driver and one schema. With <code>DATABASE_URL</code> it is a server. Without, PGlite runs in a worker behind a private Unix socket, so the rest of the code knows no difference.</p><p><strong>Why not SQLite.</strong> A second dialect doubles migrations, queries and tests, and the move to a server becomes a conversion instead of a backup and a restore.</p><p><strong>What was added, because an embedded engine lacks it:</strong></p><ul><li><em>Durability.</em> <code>fsync</code> is on, and the missing call of the emulated file system is supplied.</li><li><em>One session.</em> The driver has one connection; nothing uses the outer client inside a transaction.</li><li><em>Upkeep.</em> Checkpoints every minute when dirty, vacuum and analyze in small steps, logs in monthly partitions.</li><li><em>Locking.</em> A lock file keeps a second process out.</li><li><em>First start.</em> An initialized data directory is part of the executable: 1.1 s instead of 6.7 s.</li></ul><p><strong>Limits.</strong> The data format belongs to the engine&#39;s major version, so the version is pinned; <code>sluice backup</code> and <code>sluice restore</code> carry data across. Heavy reads use roll-ups. One process serves at a time.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/database/embedded-engine.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const embeddedEngine = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  embeddedEngine as default
};
