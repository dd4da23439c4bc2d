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
} as const;
