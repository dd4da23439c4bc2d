/** Service accounts and rights to parts of the management API. */
export const accessMessages = {
  service_token_invalid: {
    en: "This token of a service account is invalid: it was revoked, replaced, or has expired.",
    zh: "服务账号令牌无效：可能已被吊销、更换或已过期。",
  },
  service_account_not_here: {
    en: "Service accounts can't call this. Sign in as a person, or name an organization with the Sluice-Organization header.",
    zh: "服务账号不能调用此接口。请以个人身份登录，或通过 Sluice-Organization 请求头指定组织。",
  },
  right_missing: {
    en: "This needs the right {right}. Ask a super administrator for it.",
    zh: "缺少权限 {right}，请联系超级管理员授予。",
  },
  right_unknown: { en: "There is no right named {right}.", zh: "不存在名为 {right} 的权限。" },
  rights_required: { en: "Choose at least one right.", zh: "请至少选择一项权限。" },
  admin_role_name: { en: "The name has 1 to {max} characters.", zh: "名称须为 1 至 {max} 个字符。" },
  admin_role_name_taken: { en: "There is a role named {name} already.", zh: "已存在名为 {name} 的角色。" },
  admin_roles_full: {
    en: "There are {max} roles already. Delete one that isn't needed.",
    zh: "角色已达 {max} 个，请先删除不再使用的角色。",
  },
  admin_role_not_found: { en: "This role does not exist.", zh: "角色不存在。" },
  admin_role_in_use: {
    en: "{count} people have this role. Give them another one first.",
    zh: "仍有 {count} 位用户拥有此角色，请先更改他们的角色。",
  },
  admin_role_for_users_only: {
    en: "Administrators have every right of their role. Demote the account to a user first.",
    zh: "管理员已拥有其角色的全部权限，请先将该账号降为普通用户。",
  },
  service_account_name: {
    en: "The name has 1 to 40 letters, digits, dots, hyphens or underscores and starts with a letter or digit.",
    zh: "名称由 1 至 40 个字母、数字、点、连字符或下划线组成，并以字母或数字开头。",
  },
  service_accounts_full: {
    en: "There are {max} service accounts already. Delete one that isn't needed.",
    zh: "服务账号已达 {max} 个，请先删除不再使用的账号。",
  },
  service_account_expiry_past: { en: "The expiry must be in the future.", zh: "过期时间必须晚于当前时间。" },
  service_account_not_found: { en: "This service account does not exist.", zh: "服务账号不存在。" },
  sso_address_used: {
    en: "These addresses belong to another identity provider. Close the form and open it again for new ones.",
    zh: "这些地址已属于其他身份提供商。请关闭表单后重新打开以获取新地址。",
  },
  sso_provider_not_found: { en: "This identity provider does not exist.", zh: "身份提供商不存在。" },
  sso_providers_full: {
    en: "There are {max} identity providers already. Delete one that isn't needed.",
    zh: "身份提供商已达 {max} 个，请先删除不再使用的。",
  },
  sso_icon_unknown: { en: "This icon does not exist.", zh: "图标不存在。" },
  sso_field_required: { en: "{field} is required.", zh: "{field} 为必填项。" },
  sso_issuer_invalid: {
    en: "The issuer must be an http or https address without query or fragment.",
    zh: "颁发者必须是 http 或 https 地址，且不含查询参数和片段。",
  },
  sso_discovery_failed: {
    en: "The discovery document at {address} could not be read, or lacks an address. Check the issuer.",
    zh: "无法读取 {address} 的发现文档，或其中缺少必要的地址。请检查颁发者。",
  },
  sso_issuer_differs: {
    en: "The discovery document names another issuer: “{issuer}”. Enter exactly this one, if it is right.",
    zh: "发现文档中的颁发者是“{issuer}”，与填写的不一致。确认无误后请照此填写。",
  },
  sso_entry_point_invalid: {
    en: "The sign-on address must be an http or https address.",
    zh: "登录地址必须是 http 或 https 地址。",
  },
  sso_certificate_invalid: {
    en: "The certificate can't be read. Paste it in PEM, from BEGIN CERTIFICATE to END CERTIFICATE.",
    zh: "无法读取证书，请粘贴 PEM 格式内容，包含 BEGIN CERTIFICATE 至 END CERTIFICATE。",
  },
  sso_domain_invalid: {
    en: "“{domain}” is no domain, such as example.com.",
    zh: "“{domain}”不是有效域名，例如 example.com。",
  },
  sso_domain_taken: { en: "{name} answers for {domain} already.", zh: "域名 {domain} 已由 {name} 负责。" },
  sso_domains_required: {
    en: "Enter the domains for which this provider is required.",
    zh: "请填写要求使用此身份提供商的邮箱域名。",
  },
  sso_too_many: { en: "At most {max} entries are allowed.", zh: "最多允许 {max} 项。" },
  sso_mapping_invalid: {
    en: "The rule for the group “{group}” needs a group name, an organization that exists, and a role below owner.",
    zh: "用户组“{group}”的规则不完整：需要组名、存在的组织，以及低于所有者的角色。",
  },
  sso_required: {
    en: "Your company requires you to sign in with {service}.",
    zh: "贵公司要求通过 {service} 登录。",
  },
  sso_domain_refused: {
    en: "{service} gave no verified email address of a domain that this site accepts.",
    zh: "{service} 未提供本站认可域名的已验证邮箱。",
  },
} as const;
