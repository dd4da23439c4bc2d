import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"The documentation site is VitePress, embedded in the executable","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/project/documentation-site.md","filePath":"decisions/project/documentation-site.md"}');
const _sfc_main = { name: "decisions/project/documentation-site.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="the-documentation-site-is-vitepress-embedded-in-the-executable" tabindex="-1">The documentation site is VitePress, embedded in the executable <a class="header-anchor" href="#the-documentation-site-is-vitepress-embedded-in-the-executable" aria-label="Permalink to &quot;The documentation site is VitePress, embedded in the executable&quot;">​</a></h1><p><strong>Problem.</strong> Documentation has to fit the version that runs, be searchable, work without the internet, and read well on GitHub.</p><p><strong>Decision.</strong> The pages are plain Markdown in <code>docs/</code>. VitePress builds them with its local search (MiniSearch), <code>bun run build</code> embeds the result, and the gateway serves it under <code>/docs</code>.</p><p><strong>Why VitePress.</strong> It installs from npm alone (Vue, Vite, MiniSearch, Shiki: 102 MB of development packages) and builds in one step. Starlight brings Astro, and its search (Pagefind) needs WebAssembly, which the content security policy would have to allow.</p><p><strong>What is ours.</strong> Two hooks in <code>docs/.vitepress/config.ts</code>: inline scripts become files, so that the console&#39;s content security policy holds for the pages too, and links of <code>CONTRIBUTING.md</code> and <code>ARCHITECTURE.md</code> are made to fit the site.</p><p><strong>Kept true by tests.</strong> Every link and anchor must lead somewhere; every <code>sh</code> block runs against the executable or says why it cannot; the compatibility tables, the metrics and the security statement are compared with the code.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/project/documentation-site.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const documentationSite = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  documentationSite as default
};
