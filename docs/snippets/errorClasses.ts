import { createChain } from 'preseal'
import { InsufficientFundsError } from 'preseal/errors'

const chain = await createChain()
const from = chain.accounts[0].address
const value = `0x${(10n ** 24n).toString(16)}` as const

try {
  await chain.live.request({
    method: 'eth_sendTransaction',
    params: [{ from, to: from, gas: '0x5208', value }],
  })
} catch (error) {
  if (!(error instanceof InsufficientFundsError)) throw error
}
await chain.close()
