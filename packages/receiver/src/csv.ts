export {
  type CsvColumns,
  type CsvRow,
  commonestNames,
  createCsvColumns,
  findCsvColumns,
  formatCsvHead,
  formatCsvRow,
} from "@sealpost/sdk/csv";
