/** Declares the used parts of istanbul, whose packages have no types. */
declare module 'istanbul-lib-coverage' {
  const coverage: { createCoverageMap(data: object): object }
  export default coverage
}

declare module 'istanbul-lib-report' {
  export interface ContentWriter {
    write(text: string): void
    close(): void
  }

  export interface FileWriter {
    writeFile(file: string | null): ContentWriter
    writerForDir(folder: string): FileWriter
  }

  interface ContextOptions {
    readonly dir: string
    readonly coverageMap: object
    sourceFinder(path: string): string
  }
  const report: { createContext(options: ContextOptions): { readonly writer: FileWriter } }
  export default report
}

declare module 'istanbul-reports' {
  const reports: { create(name: string, options: object): { execute(context: object): void } }
  export default reports
}
