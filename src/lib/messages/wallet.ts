/** Balances, rewards, payments, agents. */
export const walletMessages = {
  check_in_disabled: { en: "Check-in is not enabled.", zh: "签到功能未启用。" },
  check_in_reward_unset: {
    en: "Check-in has no reward yet: the administrator must set one.",
    zh: "签到奖励尚未设置，请联系管理员。",
  },
  already_checked_in: { en: "Already checked in today.", zh: "今天已经签到过了。" },
  option_time_zone: {
    en: "{key}: enter the name of a time zone, such as UTC or Asia/Shanghai.",
    zh: "{key}：请输入时区名称，例如 UTC 或 Asia/Shanghai。",
  },
  invite_code_required: { en: "Enter an invitation code.", zh: "请输入邀请码。" },
  invite_code_malformed: {
    en: "The invitation code must have 4 to 16 lowercase letters, digits or underscores.",
    zh: "邀请码须为 4 到 16 位小写字母、数字或下划线。",
  },
  invite_code_set_already: {
    en: "The invitation code can be set only once.",
    zh: "邀请码只能设置一次。",
  },
  invite_code_taken: { en: "This invitation code is taken.", zh: "该邀请码已被占用。" },
  invite_code_set: { en: "Invitation code set.", zh: "邀请码已设置。" },
  transfer_too_small: { en: "The transfer amount minimum is {minimum}.", zh: "转入金额最低为 {minimum}。" },
  transfer_too_large: { en: "Your rewards do not cover this amount.", zh: "邀请奖励不足。" },
  transferred: { en: "Transfer succeeded.", zh: "转入成功。" },
} as const;
