/** Writes the file and the test of a new RPC method, `npm run new:method eth_foo`, and what is generated from the methods. */
import { writeFileSync } from 'node:fs'
import { newMethod } from './methodTemplate.ts'

for (const { path, text } of newMethod(process.argv[2] ?? '')) {
  writeFileSync(path, text, { flag: 'wx' })
  console.log(path)
}
await import('./methods.ts')
