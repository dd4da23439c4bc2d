import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { DateTimeInput } from "../../components/inputs/date-time/DateTimeInput.tsx";
import { FilterBar } from "../../components/inputs/FilterBar.tsx";
import { Row } from "../../components/layout.tsx";
import type { Address } from "../../components/use-address.ts";

type Props = {
  address: Address;
  hasChannel: boolean;
  /** Epoch seconds; 0: no limit. */
  start: number;
  end: number;
};

/** Filters by task id, channel (administrators only) and submission time, kept in the URL. */
export const TaskFilters = ({ address, hasChannel, start, end }: Props) => {
  const { t } = useTranslation();
  const time = (key: "start" | "end", value: number) => (
    <Box sx={{ width: 208 }}>
      <DateTimeInput
        label={t(`tasks.filters.${key}`)}
        value={value || null}
        onChange={(seconds) => seconds !== undefined && address.set({ [key]: seconds ?? 0 })}
      />
    </Box>
  );
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("tasks.filters.search") }}
      filters={
        hasChannel ? [{ key: "channel", label: t("tasks.filters.channel"), value: address.text("channel") }] : []
      }
      onChange={(key, value) => address.set({ [key]: value })}
      onClear={address.clear}
      tools={
        <Row wrap>
          {time("start", start)}
          {time("end", end)}
        </Row>
      }
    />
  );
};
