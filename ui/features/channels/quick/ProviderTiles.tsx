import Dns from "@mui/icons-material/DnsOutlined";
import Box from "@mui/material/Box";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { ProviderGlyph } from "../../../components/display/provider/ProviderGlyph.tsx";

/** Stands for any server with the OpenAI API, named by its base URL. */
export const COMPATIBLE = -1;

/** The channel types that most gateways start with. */
const POPULAR: readonly number[] = [1, 14, 24, 43, 20, 17, 25, 26, 40, 48, 42];

type ProviderTilesProps = Readonly<{
  types: readonly ChannelType[];
  /** A channel type, `COMPATIBLE`, or null: none chosen. */
  value: number | null;
  /** Types that the key may belong to; shown even if they are not popular. */
  likely: readonly number[];
  /** `isPointed`: by mouse or finger, not by the arrow keys, which go on from there. */
  onChange: (type: number, isPointed: boolean) => void;
  error?: string | undefined;
}>;

/** Chooses a provider by its mark. */
export const ProviderTiles = ({ types, value, likely, onChange, error }: ProviderTilesProps) => {
  const { t } = useTranslation();
  const id = useId();
  const shown = [...new Set([...POPULAR, ...likely])].flatMap((type) => types.find((known) => known.id === type) ?? []);
  return (
    <Box role="radiogroup" aria-labelledby={id} aria-describedby={error && `${id}error`}>
      <Box id={id} sx={{ mb: 1.25, fontSize: 12.5, lineHeight: "18px", fontWeight: 550 }}>
        {t("channels.quick.provider")}
      </Box>
      <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: "repeat(auto-fill, minmax(140px, 1fr))" }}>
        {shown.map(({ id: type, name }) => (
          <Tile
            key={type}
            group={id}
            name={name}
            icon={<ProviderGlyph name={name} />}
            isChosen={type === value}
            isLikely={value === null && likely.includes(type)}
            onChoose={(isPointed) => onChange(type, isPointed)}
          />
        ))}
        <Tile
          group={id}
          name={t("channels.quick.compatible")}
          icon={<Dns sx={{ fontSize: 20, color: "text.secondary" }} />}
          isChosen={value === COMPATIBLE}
          isLikely={false}
          onChoose={(isPointed) => onChange(COMPATIBLE, isPointed)}
        />
      </Box>
      {error && (
        <Box id={`${id}error`} role="alert" sx={{ mt: 1.25, fontSize: 12, lineHeight: "16px", color: "tone.bad.text" }}>
          {error}
        </Box>
      )}
    </Box>
  );
};

type TileProps = Readonly<{
  /** Tiles of one group exclude each other. */
  group: string;
  name: string;
  icon: React.ReactNode;
  isChosen: boolean;
  isLikely: boolean;
  onChoose: (isPointed: boolean) => void;
}>;

const Tile = ({ group, name, icon, isChosen, isLikely, onChoose }: TileProps) => (
  <Box
    component="label"
    sx={{
      display: "flex",
      alignItems: "center",
      gap: 2,
      position: "relative",
      minWidth: 0,
      height: 44,
      px: 2.5,
      border: "1px solid",
      borderColor: isChosen ? "primary.main" : isLikely ? "tone.info.line" : "line.main",
      borderRadius: "8px",
      bgcolor: isChosen ? "surface.selected" : isLikely ? "tone.info.tint" : "surface.paper",
      fontSize: 13,
      fontWeight: isChosen ? 600 : 480,
      cursor: "pointer",
      "&:hover": { borderColor: isChosen ? "primary.main" : "line.strong" },
      "&:has(:focus-visible)": { outline: "2px solid", outlineColor: "primary.main", outlineOffset: "1px" },
    }}
  >
    <Box
      component="input"
      type="radio"
      name={group}
      checked={isChosen}
      onChange={({ nativeEvent: event }) => onChoose(event instanceof UIEvent && event.detail > 0)}
      aria-label={name}
      sx={{ position: "absolute", inset: 0, m: 0, opacity: 0, cursor: "pointer" }}
    />
    <Box aria-hidden sx={{ display: "inline-flex", flex: "none" }}>
      {icon}
    </Box>
    <Box component="span" sx={{ minWidth: 0, lineHeight: "16px" }}>
      {name}
    </Box>
  </Box>
);
