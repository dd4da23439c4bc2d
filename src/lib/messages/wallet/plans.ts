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
  plan_calls_invalid: {
    en: "The included calls must be an integer from 0 to {max}.",
    zh: "包含的调用次数须为 0 到 {max} 的整数。",
  },
  plan_trial_invalid: { en: "The trial must have 0 to 365 days.", zh: "试用天数须为 0 到 365。" },
  plan_models_invalid: {
    en: "Enter at most {max} patterns of up to 200 characters, such as gpt-4o or claude-*.",
    zh: "最多填写 {max} 个匹配规则，每个不超过 200 个字符，例如 gpt-4o 或 claude-*。",
  },
  plan_models_narrowed: {
    en: "Subscribers use this plan for all models. Add another plan for some models, and retire this one.",
    zh: "已有订阅者将该套餐用于所有模型。请为部分模型另建套餐，再停售此套餐。",
  },
  plan_models_narrower: {
    en: "Your plan is for all models, the other for some. Cancel the renewal of yours, then subscribe to the other.",
    zh: "你的套餐适用于所有模型，而另一套餐只适用于部分模型。请先取消续订，再订阅另一套餐。",
  },
  plan_rate_invalid: {
    en: "Requests and tokens per minute must be integers from 0 to {max}.",
    zh: "每分钟请求数和 token 数须为 0 到 {max} 的整数。",
  },
  plan_seats_number_invalid: {
    en: "The seats must be an integer from 1 to {max}, or blank for any number of members.",
    zh: "席位数须为 1 到 {max} 的整数，留空表示成员数不限。",
  },
  plan_seat_price_invalid: {
    en: "The price of a seat must be an integer of quota units, 0 or more.",
    zh: "席位价格须为不小于 0 的整数额度。",
  },
  plan_seat_price_unlimited: {
    en: "A plan for any number of members has no price for seats: enter the number of its seats too.",
    zh: "成员数不限的套餐不能设置席位价格，请同时填写席位数。",
  },
  plan_seats_fixed: { en: "No seats can be added to this plan.", zh: "该套餐不能增加席位。" },
  plan_seats_same: { en: "The plan has {seats} seats already.", zh: "套餐已有 {seats} 个席位。" },
  plan_seats_invalid: { en: "Choose {min} to {max} seats.", zh: "席位数须为 {min} 到 {max}。" },
  plan_seats_organizations: { en: "Only organizations can add seats.", zh: "只有组织可以增加席位。" },
  plan_seats_too_few: {
    en: "The organization has {members} members, and the plan {seats} seats. Choose more seats, or remove members.",
    zh: "组织有 {members} 名成员，但套餐只有 {seats} 个席位。请增加席位，或移除部分成员。",
  },
  subscription_not_found: { en: "This subscription does not exist or has ended.", zh: "订阅不存在或已结束。" },
  subscription_not_active: {
    en: "This subscription is not active: top up so that it can be renewed.",
    zh: "订阅未生效，请充值后等待续期。",
  },
  subscription_changed: {
    en: "The subscription changed meanwhile. Try again.",
    zh: "订阅状态已变化，请重试。",
  },
  subscription_canceled: {
    en: "This subscription ends with its period. Keep renewing it, then pause it.",
    zh: "该订阅将在到期后结束。请先恢复续订，再暂停。",
  },
  subscription_saved: { en: "Subscription saved.", zh: "订阅已更新。" },
  coupon_invalid: { en: "This coupon does not exist.", zh: "优惠码不存在。" },
  coupon_expired: { en: "This coupon has expired.", zh: "优惠码已过期。" },
  coupon_used_up: { en: "This coupon has been used as often as it can be.", zh: "优惠码使用次数已达上限。" },
  coupon_used_by_you: { en: "You have used this coupon before.", zh: "你已使用过该优惠码。" },
  coupon_not_for_plan: { en: "This coupon is for another plan.", zh: "该优惠码不适用于此套餐。" },
  coupon_not_with_trial: {
    en: "This coupon is for the first period and can't be combined with a trial paid by card or PayPal.",
    zh: "该优惠码仅限首期，通过银行卡或 PayPal 付款时不能与试用同时使用。",
  },
  coupon_code_invalid: {
    en: "The code must have 3 to 40 letters, digits, hyphens or underscores.",
    zh: "优惠码须为 3 到 40 个字母、数字、连字符或下划线。",
  },
  coupon_code_taken: { en: "A coupon with this code exists.", zh: "该优惠码已存在。" },
  coupon_duration_invalid: {
    en: "Choose whether the coupon counts for the first period or for all.",
    zh: "请选择优惠适用于首期还是每一期。",
  },
  coupon_worth_invalid: {
    en: "Enter either 1 to 100 percent or an amount above 0.",
    zh: "请填写 1 到 100 的折扣百分比，或大于 0 的减免额度。",
  },
  coupon_uses_invalid: {
    en: "The number of uses must be an integer, 0 or more; 0 means no limit.",
    zh: "可用次数须为不小于 0 的整数，0 表示不限。",
  },
  coupon_expiry_invalid: { en: "The expiry must be in the future.", zh: "过期时间必须晚于现在。" },
  coupon_not_found: { en: "This coupon does not exist or is retired.", zh: "优惠码不存在或已停用。" },
  plan_card_free: { en: "This plan is free: subscribe from the balance.", zh: "该套餐免费，请直接用余额订阅。" },
  plan_no_card: { en: "Nothing is paid by card for this account.", zh: "该账户没有银行卡订阅。" },
  plan_change_unpaid: {
    en: "The present period is not paid yet. Change the plan when it is.",
    zh: "本期尚未付款，请在付款后再更改套餐。",
  },
  plan_change_not_renewed: {
    en: "This plan is not renewed after its period. Have it renewed again, then change it.",
    zh: "该套餐到期后不再续订。请先恢复续订，再更改套餐。",
  },
  plan_change_noted: {
    en: "A change begins with the next period. Keep your present plan first, then choose another.",
    zh: "已有一项更改将在下一期生效。请先保留当前套餐，再选择其他套餐。",
  },
  plan_change_currency: {
    en: "The currency of payments has changed since you subscribed. Cancel the renewal, then subscribe to the other plan.",
    zh: "自订阅以来收款币种已变更。请先取消续订，再订阅其他套餐。",
  },
  plan_change_credit_more: {
    en: "The rest of your period is worth about as much as {name} costs, or more. Change to it when less is left.",
    zh: "当前周期剩余部分的价值接近或高于 {name} 的价格，请在剩余时间较少时再更改。",
  },
  plan_change_unclear: {
    en: "The payment service computes another amount than we do. Contact the operator.",
    zh: "支付服务计算的金额与系统不一致，请联系管理员。",
  },
  plan_change_soon: {
    en: "PayPal charges the next period within a day. Change the plan when it has begun.",
    zh: "PayPal 将在一天内扣取下一期费用，请在下一期开始后再更改套餐。",
  },
  plan_change_trial: {
    en: "PayPal changes no trial. Change the plan when its first period is paid.",
    zh: "PayPal 不支持在试用期更改套餐，请在首期付款后再更改。",
  },
  plan_change_preview_old: {
    en: "The amount was computed a while ago. Look at it again, then confirm.",
    zh: "金额计算已过期，请重新查看后确认。",
  },
  plan_next_paid: {
    en: "The next period is paid already. Change the plan or its seats when it has begun.",
    zh: "下一期已付款，请在其开始后再更改套餐或席位。",
  },
  plan_renewed_by_service: {
    en: "A payment service renews this plan: there is nothing to pay here.",
    zh: "该套餐由支付服务自动续订，无需在此付款。",
  },
  plan_renewal_canceled: {
    en: "This subscription ends with its period. Keep renewing it, then pay the next one.",
    zh: "该订阅将在到期后结束。请先恢复续订，再支付下一期。",
  },
  plan_resume_by_payment: {
    en: "Pay the next period: the plan goes on with the payment.",
    zh: "请支付下一期，付款后套餐即恢复。",
  },
  plan_payment_pending: {
    en: "A payment for this plan is under way. Look again in a few minutes.",
    zh: "该套餐的一笔付款正在处理中，请几分钟后再查看。",
  },
  plan_page_replaced: {
    en: "Another page to pay for this plan was opened. Pay there.",
    zh: "已打开该套餐的另一个支付页面，请在那里完成支付。",
  },
  plan_paypal_final: {
    en: "PayPal ends a canceled subscription for good. Subscribe again when it has ended.",
    zh: "在 PayPal 取消的订阅无法恢复，请在到期后重新订阅。",
  },
  plan_paypal_no_pause: {
    en: "A plan paid by PayPal can't be paused or resumed here.",
    zh: "由 PayPal 支付的套餐不能在这里暂停或恢复。",
  },
  plan_paypal_period: {
    en: "PayPal takes at most {max} of these periods at a time. Pay for this plan in another way.",
    zh: "PayPal 每次最多支持 {max} 个周期，请改用其他方式支付该套餐。",
  },
  case_note_invalid: {
    en: "Enter what you decided, at most {max} characters.",
    zh: "请填写处理说明，最多 {max} 个字符。",
  },
  case_not_found: { en: "This report does not exist or is closed.", zh: "该记录不存在或已处理。" },
  case_closed: { en: "Report closed.", zh: "已处理。" },
  coupon_retired: { en: "Coupon retired.", zh: "优惠码已停用。" },
} as const;
