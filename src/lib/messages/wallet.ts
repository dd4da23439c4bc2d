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
  top_up_amount_whole: { en: "Enter a whole amount.", zh: "请输入整数金额。" },
  top_up_too_small: { en: "The top-up amount cannot be less than {minimum}.", zh: "充值数量不能小于 {minimum}。" },
  top_up_too_large: { en: "The top-up amount cannot exceed {maximum}.", zh: "充值数量不能大于 {maximum}。" },
  top_up_price_too_low: { en: "The amount is too low to be paid.", zh: "充值金额过低。" },
  online_top_up_disabled: { en: "The administrator has not enabled online top-up.", zh: "管理员未开启在线充值。" },
  card_top_up_disabled: { en: "The administrator has not enabled payment by card.", zh: "管理员未开启银行卡支付。" },
  payment_request_failed: {
    en: "The payment could not be started. Try again later.",
    zh: "发起支付失败，请稍后重试。",
  },
  order_not_found: { en: "There is no such order.", zh: "订单不存在。" },
  order_done_already: { en: "This order is completed already.", zh: "该订单已完成。" },
  order_completed: { en: "Order completed.", zh: "订单已完成。" },
  transferred: { en: "Transfer succeeded.", zh: "转入成功。" },
} as const;
