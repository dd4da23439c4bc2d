/** Second factors, passkeys, own sessions. */
export const securityMessages = {
  second_factor_wrong: { en: "The code is wrong, or was used before.", zh: "验证码错误或已被使用。" },
  second_factor_expired: {
    en: "This sign-in has expired. Sign in again.",
    zh: "本次登录已过期，请重新登录。",
  },
  second_factor_on: { en: "Two-step verification is on already.", zh: "两步验证已开启。" },
  second_factor_off: { en: "Two-step verification is not on.", zh: "两步验证未开启。" },
  own_second_factor: {
    en: "Turn off your own two-step verification in your personal settings, with a code.",
    zh: "请在个人设置中使用验证码关闭自己的两步验证。",
  },
  owner_password_required: { en: "Enter your password.", zh: "请输入密码。" },
  owner_password_wrong: { en: "The password is wrong.", zh: "密码错误。" },
  sign_in_again: {
    en: "For this, sign out and in again first: your sign-in was a while ago.",
    zh: "距上次登录时间较久，请退出并重新登录后再操作。",
  },
  session_required: {
    en: "This needs a login with a browser, not an access token.",
    zh: "此操作需要浏览器登录，不能使用 access token。",
  },
  passkey_failed: {
    en: "The passkey could not be confirmed. Try again.",
    zh: "通行密钥验证失败，请重试。",
  },
  passkey_unknown: { en: "There is no such passkey.", zh: "通行密钥不存在。" },
  passkey_known: { en: "This passkey is registered already.", zh: "该通行密钥已注册。" },
  passkeys_too_many: { en: "You can have at most {max} passkeys.", zh: "最多可添加 {max} 个通行密钥。" },
  passkey_name_required: { en: "Enter a name of at most {max} characters.", zh: "请输入名称，最多 {max} 个字符。" },
  session_unknown: { en: "This login has ended already.", zh: "该登录已失效。" },
} as const;
