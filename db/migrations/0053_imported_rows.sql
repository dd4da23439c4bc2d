CREATE TABLE "imported_rows" (
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"target_id" integer DEFAULT 0 NOT NULL,
	"imported_at" bigint NOT NULL,
	CONSTRAINT "imported_rows_kind_key_pk" PRIMARY KEY("kind","key")
);
