/** Sign-in, users and their own settings. */
export const accountMessages = {
  not_logged_in: {
    en: "Not logged in: send the session cookie with the Sluice-User header (New-Api-User and Veloera-User work too), or an access token.",
    zh: "未登录：请携带会话 Cookie 与 Sluice-User 请求头（也支持 New-Api-User、Veloera-User），或提供 access token。",
  },
  access_token_invalid: { en: "The access token is not valid.", zh: "无效的 access token。" },
  user_header_missing: {
    en: "The Sluice-User header is missing: send your user id in it (New-Api-User and Veloera-User work too).",
    zh: "未提供 Sluice-User 请求头：请在其中填写您的用户 ID（也支持 New-Api-User、Veloera-User）。",
  },
  user_header_malformed: {
    en: "The Sluice-User header (or New-Api-User, Veloera-User) is malformed: it takes your user id.",
    zh: "Sluice-User 请求头（或 New-Api-User、Veloera-User）格式错误：应为您的用户 ID。",
  },
  user_header_mismatch: {
    en: "The Sluice-User header (or New-Api-User, Veloera-User) does not match the logged-in user.",
    zh: "Sluice-User 请求头（或 New-Api-User、Veloera-User）与登录用户不匹配。",
  },
  download_ticket_invalid: {
    en: "This download address was used already or is too old. Start the download again.",
    zh: "该下载地址已使用或已过期，请重新下载。",
  },
  download_unknown: { en: "There is no such file to download.", zh: "没有这个可下载的文件。" },
  user_banned: { en: "This account is banned.", zh: "该账户已被封禁。" },
  permission_denied: { en: "You do not have permission to do this.", zh: "权限不足，无法进行此操作。" },
  login_required_fields: { en: "Enter your username and password.", zh: "请输入用户名和密码。" },
  login_failed: {
    en: "Wrong username or password, or the account is banned.",
    zh: "用户名或密码错误，或该账户已被封禁。",
  },
  login_throttled: {
    en: "Too many failed attempts for this account. Try again in {seconds} seconds.",
    zh: "该账户失败次数过多，请在 {seconds} 秒后重试。",
  },
  password_login_disabled: {
    en: "The administrator has turned off password login.",
    zh: "管理员已关闭密码登录。",
  },
  username_required: { en: "Enter a username.", zh: "请输入用户名。" },
  username_too_long: { en: "The username cannot exceed {max} characters.", zh: "用户名不能超过 {max} 个字符。" },
  username_characters: {
    en: "The username cannot contain spaces, @ or control characters.",
    zh: "用户名不能包含空格、@ 或控制字符。",
  },
  username_taken: { en: "This username exists or was deregistered.", zh: "用户名已存在或已注销。" },
  username_fixed: { en: "The username cannot be changed.", zh: "用户名不能修改。" },
  display_name_too_long: {
    en: "The display name cannot exceed {max} characters.",
    zh: "显示名称不能超过 {max} 个字符。",
  },
  password_length: {
    en: "The password must have {min} to {max} characters.",
    zh: "密码长度须为 {min} 到 {max} 个字符。",
  },
  original_password_required: { en: "Enter your current password.", zh: "请输入原密码。" },
  original_password_wrong: { en: "The current password is wrong.", zh: "原密码错误。" },
  password_unchanged: {
    en: "The new password must differ from the current one.",
    zh: "新密码不能与原密码相同。",
  },
  user_not_found: { en: "There is no such user.", zh: "用户不存在。" },
  root_cannot_be_deleted: { en: "A super admin cannot be deleted.", zh: "不能删除超级管理员账户。" },
  root_cannot_be_disabled: { en: "A super admin cannot be disabled.", zh: "不能禁用超级管理员账户。" },
  root_cannot_be_demoted: { en: "A super admin cannot be demoted.", zh: "不能降级超级管理员账户。" },
  user_out_of_reach: {
    en: "You cannot act on a user of an equal or higher role.",
    zh: "无权操作同级或更高等级的用户。",
  },
  only_root_promotes: { en: "Only a super admin can promote to admin.", zh: "只有超级管理员可以提升管理员。" },
  already_admin: { en: "This user is already an admin.", zh: "该用户已经是管理员。" },
  already_ordinary: { en: "This user is already an ordinary user.", zh: "该用户已经是普通用户。" },
  unknown_user_action: { en: "Unknown action: {action}", zh: "未知操作：{action}" },
  user_credentials_required: { en: "Enter a username and a password.", zh: "用户名和密码不能为空。" },
  user_quota_invalid: { en: "The quota must be a whole number.", zh: "额度必须是整数。" },
  user_quota_negative: {
    en: "The balance is {quota} and cannot fall below 0.",
    zh: "当前额度为 {quota}，不能减到 0 以下。",
  },
  user_group_unknown: { en: "There is no group {group}.", zh: "分组 {group} 不存在。" },
  user_group_required: { en: "Choose a group.", zh: "请选择分组。" },
  user_selection_required: { en: "Select users first.", zh: "请先选择用户。" },
  user_note_too_long: { en: "The note may have at most {max} characters.", zh: "备注最多 {max} 个字符。" },
  user_limit_invalid: {
    en: "A limit must be a whole number from 0 (none) to 1,000,000.",
    zh: "限制必须是 0（不限）到 1000000 的整数。",
  },
  user_setting_saved: { en: "Settings updated", zh: "设置已更新" },
} as const;
