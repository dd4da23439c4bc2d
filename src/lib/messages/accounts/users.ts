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
