import { useTranslation } from "react-i18next";
import { NOTICE_LIMITS } from "../../../../src/domain/notifications/notice-rules.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { type AnnouncementView, LEVELS, receivedAnnouncements, saveAnnouncement } from "./announcement-calls.ts";

type Form = {
  level: string;
  title: string;
  content: string;
  /** Epoch seconds; null or undefined: not a valid time. */
  publishedAt: number | null | undefined;
  notifies: boolean;
};

const newForm = (stored: AnnouncementView | null): Form => ({
  level: stored?.level ?? "info",
  title: stored?.title ?? "",
  content: stored?.content ?? "",
  publishedAt: stored?.published_at ?? Math.floor(Date.now() / 1000),
  notifies: false,
});

const isLater = (seconds: number | null | undefined): boolean => (seconds ?? 0) * 1000 > Date.now();

const missing = (isMissing: boolean) => (isMissing ? ("missing" as const) : undefined);

/** Creates or edits an announcement. */
export const AnnouncementDialog = ({ stored, onClose }: { stored: AnnouncementView | null; onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <ResourceForm<Form>
      hasDraft
      as="dialog"
      title={t(stored ? "announcements.form.edit" : "announcements.form.add")}
      action={t(stored ? "announcements.form.save" : "announcements.form.publish")}
      isNew={stored === null}
      text={(name) => `announcements.form.${name}`}
      initial={newForm(stored)}
      check={({ title, content, publishedAt }) => ({
        title: missing(title.trim() === ""),
        content: missing(content.trim() === ""),
        publishedAt: missing(!publishedAt),
      })}
      fault={(fault) => t(`announcements.form.${fault}`)}
      save={async ({ publishedAt, notifies, ...input }) => {
        const published = publishedAt ?? 0;
        const isNotified = notifies && !isLater(published);
        await saveAnnouncement({ ...input, published_at: published }, stored?.id ?? null, isNotified);
        return t("announcements.form.saved");
      }}
      reload={[{ queryKey: WALLET_KEY }, { queryKey: receivedAnnouncements.queryKey }]}
      sections={({ publishedAt }) => [
        {
          fields: [
            { kind: "select", field: "level", options: optionsOf(LEVELS, (name) => t(`announcements.levels.${name}`)) },
            { kind: "text", field: "title", maxCharacters: NOTICE_LIMITS.title },
            {
              kind: "text",
              field: "content",
              hint: true,
              rows: 6,
              maxRows: 14,
              maxCharacters: NOTICE_LIMITS.content,
            },
            {
              kind: "time",
              field: "publishedAt",
              label: t("announcements.form.time"),
              hint: isLater(publishedAt) && t("announcements.form.later"),
            },
            !stored &&
              !isLater(publishedAt) && {
                kind: "switch",
                field: "notifies",
                label: t("announcements.form.notify"),
                hint: t("announcements.form.notifyHint"),
              },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
