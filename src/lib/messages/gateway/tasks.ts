/** What is wrong with a task: videos, drawings, music. */
export const taskMessages = {
  gateway_task_channel_off: { en: "The channel of this task is disabled.", zh: "该任务的渠道已禁用。" },
  gateway_image_unavailable: { en: "Couldn't fetch the image from its storage URL.", zh: "无法从存储地址获取图片。" },
  gateway_video_unknown: { en: "Video “{id}” not found.", zh: "视频 “{id}” 不存在。" },
  gateway_video_not_own: {
    en: "“video.id” must be the ID of one of your videos.",
    zh: "“video.id” 必须是你自己的视频的 ID。",
  },
  gateway_video_running: { en: "The video is still in progress.", zh: "视频仍在生成中。" },
  gateway_video_undeletable: {
    en: "The video is still in progress and can be deleted once it is finished.",
    zh: "视频仍在生成中，结束后才能删除。",
  },
  gateway_video_variant: { en: "This variant does not exist.", zh: "该变体不存在。" },
  gateway_video_images: { en: "At most {count} images are allowed.", zh: "最多 {count} 张图片。" },
  gateway_video_image: {
    en: "Send the image itself or its URL instead of a file ID.",
    zh: "请直接发送图片或其 URL，而不是文件 ID。",
  },
} as const;
