/** Signing in with an account of another service, binding and unbinding it; second factors and passkeys. */
export const oauthMessages = {
  oauth_disabled: {
    en: "The administrator has not turned on sign-in with {service}.",
    zh: "管理员未开启通过 {service} 登录。",
  },
  oauth_state_wrong: {
    en: "This sign-in was not started here, or has expired. Start again.",
    zh: "登录状态无效或已过期，请重新发起登录。",
  },
  oauth_refused: { en: "{service} refused: {detail}", zh: "{service} 拒绝了授权：{detail}" },
  oauth_failed: {
    en: "{service} could not confirm who you are. Try again.",
    zh: "无法通过 {service} 确认身份，请重试。",
  },
  oauth_unreachable: {
    en: "{service} does not answer. Try again later.",
    zh: "无法连接到 {service}，请稍后重试。",
  },
  oauth_incomplete: {
    en: "Sign-in with {service} is not fully set up. Tell the administrator.",
    zh: "{service} 登录配置不完整，请联系管理员。",
  },
  oauth_code_required: { en: "Enter the code.", zh: "请输入验证码。" },
  wechat_code_wrong: { en: "The code is wrong or has expired.", zh: "验证码错误或已过期。" },
  telegram_proof_wrong: {
    en: "Telegram's confirmation is not valid or has expired. Start again.",
    zh: "Telegram 授权信息无效或已过期，请重新授权。",
  },
  telegram_not_bound: {
    en: "This Telegram account is bound to nobody. Sign in first, then bind it in your personal settings.",
    zh: "该 Telegram 账户未绑定，请先登录，再到个人设置中绑定。",
  },
  identity_taken: {
    en: "This {service} account is bound to another user.",
    zh: "该 {service} 账户已被其他用户绑定。",
  },
  identity_bound_already: {
    en: "You have bound another {service} account. Unbind it first.",
    zh: "你已绑定其他 {service} 账户，请先解绑。",
  },
  account_deregistered: {
    en: "This address or account belonged to somebody who was deregistered here. It cannot be used again.",
    zh: "该邮箱或第三方账户所属的账户已注销，不能再次注册或绑定。",
  },
  identity_not_bound: { en: "Nothing is bound.", zh: "尚未绑定。" },
  last_sign_in: {
    en: "This is your only way to sign in. Set a password or bind something else first.",
    zh: "这是你唯一的登录方式，请先设置密码或绑定其他账户。",
  },
  bound: { en: "bind", zh: "bind" },
  email_bound: { en: "Address bound", zh: "邮箱绑定成功" },
  unbound: { en: "Unbound", zh: "已解绑" },
} as const;
