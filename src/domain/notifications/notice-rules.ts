/** Characters that a notice or an announcement may have. */
export const NOTICE_LIMITS = { title: 100, content: 5000 } as const;

type NoticeText = Readonly<{ title: string; content: string }>;

/** What is wrong with a notice; undefined: nothing. */
export function noticeError({
  title,
  content,
}: NoticeText): "broadcast_text_required" | "broadcast_too_long" | undefined {
  const [titleLength, contentLength] = [title, content].map((text) => [...text.trim()].length);
  if (!titleLength || !contentLength) return "broadcast_text_required";
  const isTooLong = titleLength > NOTICE_LIMITS.title || contentLength > NOTICE_LIMITS.content;
  return isTooLong ? "broadcast_too_long" : undefined;
}
