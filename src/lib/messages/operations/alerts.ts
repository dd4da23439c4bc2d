/** Alert destinations and what was sent to them. */
export const alertMessages = {
  alert_type_invalid: { en: "Unknown destination type.", zh: "未知的告警目标类型。" },
  alert_name_invalid: { en: "Enter a name of at most {max} characters.", zh: "请填写名称，最多 {max} 个字符。" },
  alert_field_required: { en: "{field} is required for this destination.", zh: "该告警目标需要填写 {field}。" },
  alert_field_invalid: {
    en: "{field} does not look right. Copy it again from the service.",
    zh: "{field} 格式不正确，请重新从对应服务复制。",
  },
  alert_secret_invalid: {
    en: "The signing secret must be whsec_ followed by 24 to 64 bytes in base64.",
    zh: "签名密钥须以 whsec_ 开头，后接 24 到 64 字节的 base64。",
  },
  alert_destinations_full: {
    en: "There can be at most {max} destinations. Delete one first.",
    zh: "告警目标最多 {max} 个，请先删除一个。",
  },
  alert_destination_not_found: { en: "This alert destination does not exist.", zh: "告警目标不存在。" },
  alert_delivery_not_found: { en: "This delivery does not exist.", zh: "该发送记录不存在。" },
} as const;
