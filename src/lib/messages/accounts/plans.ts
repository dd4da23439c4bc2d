/** Plans and subscriptions. */
export const planMessages = {
  plan_not_found: { en: "This plan is not offered.", zh: "该套餐不存在或已停售。" },
  plan_subscribed_already: { en: "You already have this plan.", zh: "你已订阅该套餐。" },
  plan_balance_too_low: {
    en: "Your balance does not cover the price of {price}. Top up, then try again. Quota of plans does not count.",
    zh: "余额不足以支付 {price}（套餐额度不计入），请充值后重试。",
  },
  plan_subscribed: { en: "Subscribed.", zh: "订阅成功。" },
  plan_retired: { en: "Plan retired.", zh: "套餐已停售。" },
  plan_name_invalid: { en: "The name must have 1 to {max} characters.", zh: "名称须为 1 到 {max} 个字符。" },
  plan_period_invalid: {
    en: "Choose days, weeks, months or years, 1 to 120 of them.",
    zh: "周期须为 1 到 120 个天、周、月或年。",
  },
  plan_window_invalid: { en: "Choose how often the quota is filled up.", zh: "请选择额度的重置周期。" },
  plan_price_invalid: {
    en: "The price must be an integer of quota units, 0 or more.",
    zh: "价格须为不小于 0 的整数额度。",
  },
  plan_quota_invalid: { en: "The quota must be an integer, 0 or more.", zh: "额度须为不小于 0 的整数。" },
  plan_trial_invalid: { en: "The trial must have 0 to 365 days.", zh: "试用天数须为 0 到 365。" },
  subscription_not_found: { en: "This subscription does not exist or has ended.", zh: "订阅不存在或已结束。" },
  subscription_not_active: {
    en: "This subscription is not active: top up so that it can be renewed.",
    zh: "订阅未生效，请充值后等待续期。",
  },
  subscription_changed: {
    en: "The subscription changed meanwhile. Try again.",
    zh: "订阅状态已变化，请重试。",
  },
  subscription_saved: { en: "Subscription saved.", zh: "订阅已更新。" },
} as const;
