import Close from "@mui/icons-material/CloseOutlined";
import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useTranslation } from "react-i18next";
import { makerOf } from "../../../../src/domain/models/model-name-rules.ts";
import { ProviderGlyph } from "../../../components/display/provider/ProviderGlyph.tsx";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { size } from "../../../theme/theme.ts";

/** The browser lays out no more at once; typing finds the others. */
const MOST_SHOWN = 100;

type Props = Readonly<{
  models: readonly string[];
  offered: readonly string[];
  onChange: (models: readonly string[]) => void;
}>;

/** The model of each column, to be replaced or removed. They stay in view above the answers. */
export const LaneHeaders = ({ models, offered, onChange }: Props) => {
  const { t } = useTranslation();
  return (
    <Box
      sx={{
        ...{ display: "flex", flexWrap: { xs: "wrap", md: "nowrap" }, columnGap: 6, rowGap: 1, py: 2 },
        ...{ position: { md: "sticky" }, top: size.header, zIndex: 2, bgcolor: "surface.paper" },
      }}
    >
      {models.map((model, lane) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its place
          key={lane}
          gap={1}
          sx={{ flex: { xs: "1 1 100%", sm: "1 1 280px" } }}
        >
          <Autocomplete
            disableClearable
            autoHighlight
            selectOnFocus
            fullWidth
            value={model}
            options={offered.includes(model) ? offered : [model, ...offered]}
            filterOptions={(names, { inputValue }) => matching(names, inputValue, model)}
            onChange={(_, name) => onChange(models.with(lane, name))}
            renderInput={({ slotProps }) => (
              <OutlinedInput
                ref={slotProps.input.ref}
                fullWidth
                startAdornment={
                  makerOf(model) && (
                    <Box component="span" sx={{ display: "inline-flex", mr: 2 }}>
                      <ProviderGlyph name={makerOf(model)} size={18} />
                    </Box>
                  )
                }
                endAdornment={slotProps.input.endAdornment}
                inputProps={{
                  ...slotProps.htmlInput,
                  "aria-label": laneName(t("playground.model"), lane, models.length),
                }}
              />
            )}
          />
          {models.length > 1 && (
            <Tip title={t("playground.removeModel", { name: model })}>
              <IconButton
                aria-label={t("playground.removeModel", { name: model })}
                onClick={() => onChange(models.filter((_, index) => index !== lane))}
              >
                <Close />
              </IconButton>
            </Tip>
          )}
        </Row>
      ))}
    </Box>
  );
};

const laneName = (name: string, lane: number, lanes: number): string => (lanes > 1 ? `${name} ${lane + 1}` : name);

/** Names with the text in them; all while the field has the chosen one. */
function matching(names: readonly string[], text: string, chosen: string): string[] {
  const typed = text === chosen ? "" : text.trim().toLowerCase();
  return names.filter((name) => name.toLowerCase().includes(typed)).slice(0, MOST_SHOWN);
}
