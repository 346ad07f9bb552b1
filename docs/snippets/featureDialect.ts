/** One chain, two wordings. */
// #region dialect
import { createChain } from 'preseal'

const chain = await createChain({ mining: 'manual' })
const geth = chain.provider('standard', { dialect: 'geth' })

// A contract whose creation reverts.
const call = {
  method: 'eth_call',
  params: [{ data: '0x5f5ffd' }, 'latest'],
} as const
const codeOf = (provider: typeof geth) =>
  provider.request(call).catch(({ code }) => code)
console.log(await codeOf(chain.standard), await codeOf(geth)) // => -32000 3
// #endregion dialect

for (const provider of [chain.standard, geth]) {
  const block = await provider.request({
    method: 'eth_getBlockByNumber',
    params: ['0x0', false],
  })
  const traces = await provider
    .request({ method: 'debug_traceBlockByNumber', params: ['0x0'] })
    .catch(({ message }) => message)
  const logs = await provider
    .request({
      method: 'eth_getLogs',
      params: [{ fromBlock: '0x0', toBlock: '0x9' }],
    })
    .catch(({ message }) => message)
  const proof = await provider.request({
    method: 'eth_getProof',
    params: [`0x${'99'.repeat(20)}`, [], 'latest'],
  })
  console.log(
    JSON.stringify([block?.totalDifficulty, traces, logs, proof.codeHash]),
  )
}
// => ["0x0",[],[],"0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"]
// => [null,"genesis is not traceable","block range extends beyond current head block","0x0000000000000000000000000000000000000000000000000000000000000000"]
await chain.close()
