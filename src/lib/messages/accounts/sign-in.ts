/** Registering, codes by mail, resetting a password. */
export const signUpMessages = {
  registration_disabled: {
    en: "The administrator has turned off registration.",
    zh: "管理员已关闭新用户注册。",
  },
  invitation_required: {
    en: "This site takes new users by invitation only. Open the invitation link of a user, or enter its code.",
    zh: "本站仅限受邀注册。请打开用户的邀请链接，或输入其邀请码。",
  },
  invitation_unknown: { en: "The invitation code is not valid.", zh: "邀请码无效。" },
  registrations_from_address: {
    en: "Too many accounts were created from your network today (at most {max}). Try again tomorrow.",
    zh: "今天您所在的网络注册的账号过多（最多 {max} 个），请明天再试。",
  },
  password_registration_disabled: {
    en: "The administrator has turned off registration with a password. Sign up through another service.",
    zh: "管理员已关闭密码注册，请使用第三方账号注册。",
  },
  passwords_differ: { en: "The two passwords do not match.", zh: "两次输入的密码不一致。" },
  email_required: { en: "Enter your email address.", zh: "请输入邮箱地址。" },
  email_invalid: { en: "The email address is not valid.", zh: "邮箱地址格式不正确。" },
  email_domain_refused: {
    en: "Addresses of this domain are not accepted here. Use an address of another mail service.",
    zh: "不支持该邮箱域名，请换用其他邮箱。",
  },
  email_alias_refused: {
    en: "Use your plain address, without “+” or “.” before the @.",
    zh: "请使用原始邮箱地址，@ 之前不能包含“+”或“.”。",
  },
  email_taken: { en: "This email address is in use already.", zh: "该邮箱地址已被使用。" },
  verification_code_required: { en: "Enter the code from the email.", zh: "请输入邮箱验证码。" },
  verification_code_wrong: {
    en: "The code is wrong or has expired. Ask for a new one.",
    zh: "验证码错误或已过期，请重新获取。",
  },
  code_sent_just_now: {
    en: "A code was sent just now. Ask again in {seconds} seconds.",
    zh: "验证码刚刚发送，请在 {seconds} 秒后重试。",
  },
  mail_too_often: {
    en: "Too many mails to this address. Try again in {seconds} seconds.",
    zh: "发送到该邮箱的邮件过多，请在 {seconds} 秒后重试。",
  },
  mails_sent_too_often: {
    en: "You had too many mails sent. Try again in {seconds} seconds.",
    zh: "你发送的邮件过多，请在 {seconds} 秒后重试。",
  },
  mail_not_configured: {
    en: "No mail can be sent: the administrator has not set up a mail server.",
    zh: "无法发送邮件：管理员尚未配置邮件服务器。",
  },
  mail_failed: {
    en: "The mail could not be sent. Try again later, or tell the administrator.",
    zh: "邮件发送失败，请稍后重试或联系管理员。",
  },
  turnstile_required: {
    en: "Please retry in a few seconds, Turnstile is checking the user environment.",
    zh: "请稍后几秒重试，Turnstile 正在检查用户环境。",
  },
  turnstile_failed: {
    en: "The human check failed. Reload the page and try again.",
    zh: "人机验证失败，请刷新页面后重试。",
  },
  reset_link_invalid: {
    en: "The reset link is invalid or has expired.",
    zh: "重置链接无效或已过期。",
  },
  reset_mail_sent: {
    en: "If an account has this address, a mail with a reset link is on its way.",
    zh: "如果该邮箱已注册，重置邮件已发送，请查收。",
  },
  verification_sent: { en: "The code was sent. It is valid for 3 minutes.", zh: "验证码已发送，3 分钟内有效。" },
  registered: { en: "Account created", zh: "注册成功" },
} as const;

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
  ldap_group_refused: {
    en: "None of your groups in the directory may sign in here. Contact the administrator.",
    zh: "您在目录中的用户组无权登录本站，请联系管理员。",
  },
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

/** Second factors, passkeys, own sessions. */
export const securityMessages = {
  second_factor_wrong: { en: "The code is incorrect or was already used.", zh: "验证码错误或已被使用。" },
  second_factor_expired: {
    en: "This sign-in has expired. Sign in again.",
    zh: "本次登录已过期，请重新登录。",
  },
  second_factor_on: { en: "Two-step verification is already on.", zh: "两步验证已开启。" },
  second_factor_off: { en: "Two-step verification is not on.", zh: "两步验证未开启。" },
  own_second_factor: {
    en: "To turn off your own two-step verification, go to your personal settings.",
    zh: "请在个人设置中关闭自己的两步验证。",
  },
  owner_password_required: { en: "Enter your password.", zh: "请输入密码。" },
  owner_password_wrong: { en: "The password is incorrect.", zh: "密码错误。" },
  sign_in_again: {
    en: "You signed in a while ago. Sign out and sign in again to continue.",
    zh: "距上次登录时间较久，请退出并重新登录后再操作。",
  },
  session_required: {
    en: "This requires signing in with a browser; an access token is not enough.",
    zh: "此操作需要浏览器登录，不能使用访问令牌。",
  },
  access_token_name: { en: "Enter a name of at most {max} characters.", zh: "请输入名称，最多 {max} 个字符。" },
  access_token_name_taken: {
    en: "You already have an access token named {name}.",
    zh: "已有名为 {name} 的访问令牌。",
  },
  access_token_expiry_past: { en: "The expiry must be in the future.", zh: "过期时间必须晚于当前时间。" },
  access_tokens_full: {
    en: "You have {max} access tokens. Revoke one that you no longer need.",
    zh: "访问令牌已达 {max} 个，请先撤销不再使用的令牌。",
  },
  access_token_unknown: { en: "This access token does not exist.", zh: "访问令牌不存在。" },
  account_name_mismatch: {
    en: "Enter your account name to confirm deletion.",
    zh: "请输入你的账户名以确认删除。",
  },
  passkey_failed: { en: "The passkey could not be verified. Try again.", zh: "通行密钥验证失败，请重试。" },
  passkey_unknown: { en: "This passkey does not exist.", zh: "通行密钥不存在。" },
  passkey_known: { en: "This passkey is already registered.", zh: "该通行密钥已注册。" },
  passkeys_too_many: { en: "You can have at most {max} passkeys.", zh: "最多可添加 {max} 个通行密钥。" },
  passkey_name_required: { en: "Enter a name of at most {max} characters.", zh: "请输入名称，最多 {max} 个字符。" },
  session_unknown: { en: "This session has already ended.", zh: "该登录已失效。" },
} as const;

/** First-run set-up. */
export const setupMessages = {
  setup_done_already: { en: "The gateway is already set up.", zh: "系统已经初始化完成。" },
  setup_passwords_differ: { en: "The two passwords do not match.", zh: "两次输入的密码不一致。" },
  setup_modes_exclusive: {
    en: "Choose one usage mode: self use and demo site exclude each other.",
    zh: "使用模式只能选择一种，自用模式与演示站点不能同时启用。",
  },
} as const;
