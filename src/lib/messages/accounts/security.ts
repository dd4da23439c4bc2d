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
  passkey_failed: { en: "The passkey could not be verified. Try again.", zh: "通行密钥验证失败，请重试。" },
  passkey_unknown: { en: "This passkey does not exist.", zh: "通行密钥不存在。" },
  passkey_known: { en: "This passkey is already registered.", zh: "该通行密钥已注册。" },
  passkeys_too_many: { en: "You can have at most {max} passkeys.", zh: "最多可添加 {max} 个通行密钥。" },
  passkey_name_required: { en: "Enter a name of at most {max} characters.", zh: "请输入名称，最多 {max} 个字符。" },
  session_unknown: { en: "This session has already ended.", zh: "该登录已失效。" },
} as const;
