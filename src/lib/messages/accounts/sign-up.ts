/** Registering, codes by mail, resetting a password. */
export const signUpMessages = {
  registration_disabled: {
    en: "The administrator has turned off registration.",
    zh: "管理员已关闭新用户注册。",
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
