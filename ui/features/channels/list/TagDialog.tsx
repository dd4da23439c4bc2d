import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY, channelTags } from "../../../api/channels/channel-lists.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { setChannelsTag } from "../channel-calls.ts";

type TagDialogProps = Readonly<{ ids: readonly number[]; onSet: () => void; onClose: () => void }>;

/** Sets the tag of channels. */
export const TagDialog = ({ ids, onSet, onClose }: TagDialogProps) => {
  const { t } = useTranslation();
  const tags = useQuery(channelTags).data ?? [];
  return (
    <ResourceForm
      as="dialog"
      title={t("channels.batch.tagTitle", { count: ids.length })}
      action={t("channels.batch.setTag")}
      isNew
      text={(name) => `channels.batch.${name}`}
      initial={{ tag: "" }}
      check={({ tag }) => ({ tag: tag.trim() === "" ? "required" : undefined })}
      fault={() => t("channels.batch.tagRequired")}
      save={async ({ tag }) => {
        const count = await setChannelsTag(ids, tag.trim());
        onSet();
        return t("channels.batch.tagged", { count });
      }}
      reload={[{ queryKey: CHANNELS_KEY }]}
      sections={() => [
        {
          fields: [
            { kind: "text", field: "tag", label: t("channels.batch.tagLabel"), suggestions: tags, autoFocus: true },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
