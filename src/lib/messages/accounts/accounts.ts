/** Sign-in, users and their own settings. */
export const accountMessages = {
  not_logged_in: {
    en: "Not signed in: send the session cookie with the Sluice-User header (or New-Api-User, Veloera-User), or an access token.",
    zh: "未登录：请携带会话 Cookie 与 Sluice-User 请求头（也支持 New-Api-User、Veloera-User），或提供访问令牌。",
  },
  access_token_invalid: { en: "The access token is invalid.", zh: "访问令牌无效。" },
  user_header_missing: {
    en: "The Sluice-User header is missing. Set it (or New-Api-User, Veloera-User) to your user ID.",
    zh: "未提供 Sluice-User 请求头：请在其中填写你的用户 ID（也支持 New-Api-User、Veloera-User）。",
  },
  user_header_malformed: {
    en: "The Sluice-User header (or New-Api-User, Veloera-User) must be your user ID.",
    zh: "Sluice-User 请求头（或 New-Api-User、Veloera-User）格式错误：应为你的用户 ID。",
  },
  user_header_mismatch: {
    en: "The Sluice-User header (or New-Api-User, Veloera-User) does not match the signed-in user.",
    zh: "Sluice-User 请求头（或 New-Api-User、Veloera-User）与登录用户不匹配。",
  },
  download_ticket_invalid: {
    en: "This download link has expired or was already used. Start the download again.",
    zh: "该下载链接已使用或已过期，请重新下载。",
  },
  download_unknown: { en: "This file does not exist.", zh: "文件不存在。" },
  user_banned: { en: "This account is banned.", zh: "该账号已被封禁。" },
  permission_denied: { en: "You do not have permission to do this.", zh: "权限不足，无法进行此操作。" },
  login_required_fields: { en: "Enter your username and password.", zh: "请输入用户名和密码。" },
  login_failed: {
    en: "Wrong username or password, or the account is banned.",
    zh: "用户名或密码错误，或该账号已被封禁。",
  },
  login_throttled: {
    en: "Too many failed attempts. Try again in {seconds} seconds.",
    zh: "失败次数过多，请在 {seconds} 秒后重试。",
  },
  password_login_disabled: { en: "Password sign-in is turned off on this site.", zh: "本站已关闭密码登录。" },
  username_required: { en: "Enter a username.", zh: "请输入用户名。" },
  username_too_long: { en: "The username cannot exceed {max} characters.", zh: "用户名不能超过 {max} 个字符。" },
  username_characters: {
    en: "The username cannot contain spaces, @ or control characters.",
    zh: "用户名不能包含空格、@ 或控制字符。",
  },
  username_taken: {
    en: "This username is taken or was deregistered. Choose another one.",
    zh: "用户名已被使用或已注销，请更换。",
  },
  username_fixed: { en: "The username cannot be changed.", zh: "用户名不能修改。" },
  display_name_too_long: {
    en: "The display name cannot exceed {max} characters.",
    zh: "显示名称不能超过 {max} 个字符。",
  },
  password_length: {
    en: "The password must have {min} to {max} characters.",
    zh: "密码长度须为 {min} 到 {max} 个字符。",
  },
  original_password_required: { en: "Enter your current password.", zh: "请输入当前密码。" },
  original_password_wrong: { en: "The current password is incorrect.", zh: "当前密码错误。" },
  password_unchanged: { en: "The new password must differ from the current one.", zh: "新密码不能与当前密码相同。" },
  user_not_found: { en: "This user does not exist.", zh: "用户不存在。" },
  root_cannot_be_deleted: { en: "A super admin cannot be deleted.", zh: "不能删除超级管理员账号。" },
  root_cannot_be_disabled: { en: "A super admin cannot be disabled.", zh: "不能禁用超级管理员账号。" },
  root_cannot_be_demoted: { en: "A super admin cannot be demoted.", zh: "不能降级超级管理员账号。" },
  user_out_of_reach: {
    en: "You cannot manage users of an equal or higher role.",
    zh: "无权管理同级或更高角色的用户。",
  },
  only_root_promotes: { en: "Only a super admin can promote users to admin.", zh: "只有超级管理员可以提升管理员。" },
  already_admin: { en: "This user is already an admin.", zh: "该用户已经是管理员。" },
  already_ordinary: { en: "This user is already an ordinary user.", zh: "该用户已经是普通用户。" },
  unknown_user_action: { en: "Unknown action: {action}", zh: "未知操作：{action}" },
  user_credentials_required: { en: "Enter a username and a password.", zh: "用户名和密码不能为空。" },
  user_quota_invalid: { en: "The quota must be a whole number.", zh: "额度必须是整数。" },
  user_quota_negative: {
    en: "The balance is {quota} and cannot fall below 0.",
    zh: "当前余额为 {quota}，不能减到 0 以下。",
  },
  user_group_unknown: { en: "Group {group} does not exist.", zh: "分组 {group} 不存在。" },
  user_group_required: { en: "Choose a group.", zh: "请选择分组。" },
  user_selection_required: { en: "Select users first.", zh: "请先选择用户。" },
  user_note_too_long: { en: "The note cannot exceed {max} characters.", zh: "备注最多 {max} 个字符。" },
  user_limit_invalid: {
    en: "A limit must be a whole number from 0 (no limit) to 1,000,000.",
    zh: "限制必须是 0（不限）到 1000000 的整数。",
  },
  user_setting_saved: { en: "Settings saved", zh: "设置已保存" },
} as const;

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
