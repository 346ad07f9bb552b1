/** Writes the files that are generated from the RPC methods; tests compare them. */
import { writeFileSync } from 'node:fs'
import { methodClasses, methodExamples, methodTable } from './methodFiles.ts'

writeFileSync('src/rpc/table.ts', methodTable())
writeFileSync('src/rpc/methodClasses.ts', await methodClasses())
const rows = Object.entries(methodExamples()).map(
  ([name, params]) => `  "${name}": ${JSON.stringify(params)}`,
)
writeFileSync('test/rpc/examples.json', `{\n${rows.join(',\n')}\n}\n`)
