/** Errors of `preseal/coverage`. */
import { PresealError } from '../../base/errors.ts'

/** Coverage was used without Node 20.16 or newer: it reads and writes files. */
export class CoverageFilesError extends PresealError {
  override name = 'CoverageFilesError'
  constructor() {
    super('coverage needs files: expected Node 20.16 or newer')
  }
}

/** A report cannot be made, as istanbul's packages cannot be loaded; `cause` is the reason. */
export class ReportersMissingError extends PresealError {
  override name = 'ReportersMissingError'
  constructor(cause: unknown) {
    super(
      'reports of coverage need other packages: expected istanbul-lib-coverage, istanbul-lib-report and istanbul-reports',
      { cause },
    )
  }
}
