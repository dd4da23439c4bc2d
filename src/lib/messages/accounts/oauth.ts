/** Signing in with an account of another service, binding and unbinding it; second factors and passkeys. */
export const oauthMessages = {
  oauth_disabled: { en: "Sign-in with {service} is turned off on this site.", zh: "本站未开启通过 {service} 登录。" },
  oauth_state_wrong: {
    en: "This sign-in is invalid or has expired. Start again.",
    zh: "登录状态无效或已过期，请重新发起登录。",
  },
  oauth_refused: { en: "{service} denied the authorization: {detail}", zh: "{service} 拒绝了授权：{detail}" },
  oauth_failed: {
    en: "{service} could not verify your identity. Try again.",
    zh: "无法通过 {service} 确认身份，请重试。",
  },
  oauth_unreachable: { en: "{service} does not respond. Try again later.", zh: "无法连接到 {service}，请稍后重试。" },
  oauth_incomplete: {
    en: "Sign-in with {service} is not fully set up. Contact the administrator.",
    zh: "{service} 登录配置不完整，请联系管理员。",
  },
  oauth_code_required: { en: "Enter the code.", zh: "请输入验证码。" },
  wechat_code_wrong: { en: "The code is incorrect or has expired.", zh: "验证码错误或已过期。" },
  telegram_proof_wrong: {
    en: "The Telegram authorization is invalid or has expired. Start again.",
    zh: "Telegram 授权信息无效或已过期，请重新授权。",
  },
  telegram_not_bound: {
    en: "This Telegram account is not linked. Sign in first, then link it in your personal settings.",
    zh: "该 Telegram 账号未绑定，请先登录，再到个人设置中绑定。",
  },
  identity_taken: {
    en: "This {service} account is linked to another user.",
    zh: "该 {service} 账号已被其他用户绑定。",
  },
  identity_bound_already: {
    en: "You have already linked another {service} account. Unlink it first.",
    zh: "你已绑定其他 {service} 账号，请先解绑。",
  },
  account_deregistered: {
    en: "This email address or account belongs to a deregistered user and cannot be used again.",
    zh: "该邮箱或第三方账号所属的用户已注销，不能再次使用。",
  },
  identity_not_bound: { en: "This account is not linked.", zh: "尚未绑定。" },
  last_sign_in: {
    en: "This is your only sign-in method. Set a password or link another account first.",
    zh: "这是你唯一的登录方式，请先设置密码或绑定其他账号。",
  },
  bound: { en: "bind", zh: "bind" },
  email_bound: { en: "Email address linked", zh: "邮箱绑定成功" },
  unbound: { en: "Account unlinked", zh: "已解绑" },
} as const;
