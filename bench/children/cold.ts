/** A fresh process that prints how long its engine took from import to the first answer, in ms. */
const [, , name] = process.argv
const start = performance.now()
const { engine } = (await import(`../engines/${name}.js`)) as typeof import('../engines/preseal.ts')
const chain = await engine.create()
const number = await chain.request('eth_blockNumber', [])
const spent = performance.now() - start
if (Number(number) !== 0) throw new Error(`the block number is ${number}, not 0`)
process.stdout.write(`${spent}\n`)
await chain.close()
process.exit()

export {}
