/** A fresh process that prints how long its engine took from import to the first answer, in ms. */
const [, , name] = process.argv
const start = performance.now()
const { engine } = (await import(`../engines/${name}.js`)) as typeof import('../engines/preseal.ts')
const chain = await engine.create()
await chain.request('eth_blockNumber', [])
process.stdout.write(`${performance.now() - start}\n`)
await chain.close()
process.exit()

export {}
