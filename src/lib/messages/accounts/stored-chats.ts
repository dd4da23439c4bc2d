/** Chats of the playground that are stored on the server. */
export const storedChatMessages = {
  playground_chat_not_found: { en: "This chat does not exist.", zh: "该对话不存在。" },
  playground_history_off: {
    en: "Chats are not saved on the server. Turn this on in the playground's history.",
    zh: "当前未在服务器上保存对话，请先在操练场的历史记录中开启。",
  },
  playground_chats_full: {
    en: "There can be at most {max} chats on the server. Delete some first.",
    zh: "服务器上最多保存 {max} 个对话，请先删除一些。",
  },
  playground_storage_full: {
    en: "Your chats take all of the {max} MB that this site stores for you. Delete some first.",
    zh: "你的对话已占满本站提供的 {max} MB 空间，请先删除一些。",
  },
} as const;
