import { type ClipboardEvent, type DragEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { AttachmentError, toAttachment } from "../chat/attachments.ts";
import type { Attachment } from "../chat/chat.ts";

/** The files of a question that is being written, and what adds them. */
export function useAttachments(start: readonly Attachment[]) {
  const { t } = useTranslation();
  const [attachments, setAttachments] = useState(start);
  const [isOver, setOver] = useState(false);
  const addOne = async (file: File) => {
    try {
      const added = await toAttachment(file);
      setAttachments((all) => (all.some(({ url }) => url === added.url) ? all : [...all, added]));
    } catch (error) {
      const isOurs = error instanceof AttachmentError;
      notifyError(isOurs ? new Error(t(`playground.fileErrors.${error.reason}`, { name: error.file })) : error);
    }
  };
  const add = (files: readonly File[]) => files.forEach((file) => void addOne(file));
  return {
    attachments,
    isOver,
    add,
    clear: () => setAttachments([]),
    remove: (removed: Attachment) => setAttachments((all) => all.filter((one) => one !== removed)),
    onPaste: (event: ClipboardEvent) => {
      const files = [...event.clipboardData.files];
      if (files.length === 0) return;
      event.preventDefault();
      add(files);
    },
    dropTarget: {
      onDragOver: (event: DragEvent) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        add([...event.dataTransfer.files]);
      },
    },
  };
}
