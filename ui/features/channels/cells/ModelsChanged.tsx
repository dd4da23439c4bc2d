import ButtonBase from "@mui/material/ButtonBase";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";
import type { Channel } from "../channel.ts";

type ModelsChangedProps = Readonly<{ channel: Channel; onCompare: (channel: Channel) => void }>;

/** That the upstream offers more or fewer models than the channel has; leads to the comparison. */
export const ModelsChanged = ({ channel, onCompare }: ModelsChangedProps) => {
  const { t } = useTranslation();
  const { added = 0, gone = 0 } = channel.models_changed ?? {};
  if (added + gone === 0) return null;
  const label = t("channels.modelList.changed", { added, gone });
  return (
    <Tooltip title={label}>
      <ButtonBase
        aria-label={`${channel.name}: ${label}`}
        onClick={(event) => {
          event.stopPropagation();
          onCompare(channel);
        }}
        className="num"
        sx={{
          flex: "none",
          height: 18,
          px: 1.25,
          borderRadius: "5px",
          fontSize: 11.5,
          color: "tone.info.text",
          bgcolor: "tone.info.tint",
        }}
      >
        {[added > 0 && `+${added}`, gone > 0 && `−${gone}`].filter(Boolean).join(" ")}
      </ButtonBase>
    </Tooltip>
  );
};
