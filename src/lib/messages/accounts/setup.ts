/** First-run set-up. */
export const setupMessages = {
  setup_done_already: { en: "The gateway is already set up.", zh: "系统已经初始化完成。" },
  setup_passwords_differ: { en: "The two passwords do not match.", zh: "两次输入的密码不一致。" },
  setup_modes_exclusive: {
    en: "Choose one usage mode: self use and demo site exclude each other.",
    zh: "使用模式只能选择一种，自用模式与演示站点不能同时启用。",
  },
} as const;
