import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Roles for administrators","description":"","frontmatter":{},"headers":[],"relativePath":"accounts/roles.md","filePath":"accounts/roles.md"}');
const _sfc_main = { name: "accounts/roles.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="roles-for-administrators" tabindex="-1">Roles for administrators <a class="header-anchor" href="#roles-for-administrators" aria-label="Permalink to &quot;Roles for administrators&quot;">​</a></h1><p>Every account is a user, an admin or a super admin. A custom role lies between: it adds chosen rights to a user, so that support reads logs and finance handles orders without the rest of the administration.</p><h2 id="create-one-and-assign-it" tabindex="-1">Create one and assign it <a class="header-anchor" href="#create-one-and-assign-it" aria-label="Permalink to &quot;Create one and assign it&quot;">​</a></h2><ol><li>Open <strong>People → Roles</strong> as super administrator and choose <strong>Create role</strong>.</li><li>Give it a name, and choose what it reads, writes and runs.</li><li>Open <strong>People → Users</strong>, and choose <strong>Assign role</strong> in the menu of a user.</li></ol><p>The console shows the holder the pages that the rights open. A call without its right gets status 403 and the code <code>right_missing</code>, which names it. The rights are those of <a href="./service-accounts#rights">service accounts</a>, apart from <code>organizations</code>: in organizations people have the roles of members.</p><ul><li>A change of the rights, and of who has the role, counts at once and ends the sessions of the people concerned.</li><li>A holder acts with the least role that a call needs: with <code>users:write</code> they change ordinary users, and neither administrators, nor other holders, nor themselves. Admins don&#39;t reach holders either.</li><li>Only super administrators see, change and assign roles; no right opens that.</li><li>A promotion to admin ends the custom role. A role that somebody has can&#39;t be deleted.</li><li><code>settings:write</code> includes the ways to sign in and is as good as a super administrator. <code>billing:act</code> completes orders and grants plans.</li></ul><p>Alert rules of the operator belong to admins, whatever the custom role.</p><h2 id="api" tabindex="-1">API <a class="header-anchor" href="#api" aria-label="Permalink to &quot;API&quot;">​</a></h2><p>For super administrators.</p><table tabindex="0"><thead><tr><th>Call</th><th>Body</th></tr></thead><tbody><tr><td><code>GET /api/admin_role/</code></td><td></td></tr><tr><td><code>POST /api/admin_role/</code></td><td><code>name</code>, <code>rights</code></td></tr><tr><td><code>PUT /api/admin_role/{id}</code></td><td>the same</td></tr><tr><td><code>DELETE /api/admin_role/{id}</code></td><td></td></tr><tr><td><code>PUT /api/admin_role/users/{user}</code></td><td><code>role_id</code>; 0: none</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("accounts/roles.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const roles = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  roles as default
};
