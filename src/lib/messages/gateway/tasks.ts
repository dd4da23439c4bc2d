/** What is wrong with a task: videos, drawings, music. */
export const taskMessages = {
  gateway_task_channel_off: { en: "The channel of this task is disabled.", zh: "该任务的渠道已禁用。" },
  gateway_picture_unavailable: {
    en: "The picture cannot be fetched from where it is stored.",
    zh: "无法从存放位置获取图片。",
  },
  gateway_video_unknown: { en: "There is no video “{id}”.", zh: "视频 “{id}” 不存在。" },
  gateway_video_not_own: {
    en: "“video.id” must name one of your videos.",
    zh: "“video.id” 必须是您自己的视频。",
  },
  gateway_video_running: { en: "The video is not done yet.", zh: "视频尚未完成。" },
  gateway_video_undeletable: {
    en: "The video is still being made: it can be deleted when it is over.",
    zh: "视频仍在生成中，结束后才能删除。",
  },
  gateway_video_variant: { en: "There is no such variant.", zh: "该变体不存在。" },
  gateway_video_images: { en: "{count} images at most.", zh: "最多 {count} 张图片。" },
  gateway_video_image: {
    en: "Send the image itself or its address instead of a file's id.",
    zh: "请直接发送图片或其地址，而不是文件 ID。",
  },
} as const;
