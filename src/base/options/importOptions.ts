/** The options of an import of blocks: what they mean and their checks. */
import { type OptionsInput, type OptionsValue, option, parseOptions } from './option.ts'
import { choice } from './optionSchemas.ts'

/** Every option of an import. */
export const IMPORT_OPTIONS = {
  /**
   * The implementation that executes each block a second time, for comparison: `'ethereumjs'`, that library's
   * `runBlock`. By default there is none.
   */
  verify: option(choice(['ethereumjs'], "'ethereumjs'")),
}

/** The options of `chain.importBlocks`. */
export interface ImportOptions extends OptionsInput<typeof IMPORT_OPTIONS> {}

/** {@link ImportOptions}, checked. */
export type ResolvedImportOptions = Partial<OptionsValue<typeof IMPORT_OPTIONS>>

/** Checks the options of an import. @throws InvalidOptionError for the first invalid value. */
export function resolveImportOptions(options: ImportOptions | undefined): ResolvedImportOptions {
  return parseOptions(IMPORT_OPTIONS, options)
}
