/** A small dapp of wagmi and React Query: it connects, sends, and shows a balance twice, pre-confirmed and sealed. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { formatEther, parseEther } from 'viem'
import {
  type Config,
  useBalance,
  useChains,
  useConnect,
  useConnection,
  useConnectors,
  useSendTransaction,
  useSwitchChain,
  useTransactionReceipt,
  WagmiProvider,
} from 'wagmi'

const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** React Query asks again this often, in milliseconds. */
const refetchInterval = 100

/** The dapp, with the wallets and the node of a configuration. */
export function App({ config }: { readonly config: Config }) {
  const [client] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: false } } }))
  return (
    <WagmiProvider config={config}>
      <QueryClientProvider client={client}>
        <Connection />
      </QueryClientProvider>
    </WagmiProvider>
  )
}

function Connection() {
  const { address, chainId } = useConnection()
  const [chain] = useChains()
  const connectors = useConnectors()
  const connect = useConnect()
  const { mutate: switchChain } = useSwitchChain()
  if (address === undefined) {
    return (
      <>
        {connectors.map((connector) => (
          <button key={connector.uid} type="button" onClick={() => connect.mutate({ connector })}>
            Connect {connector.name}
          </button>
        ))}
        <p role="status">{connect.error?.message.split('\n')[0]}</p>
      </>
    )
  }
  if (chainId !== chain.id) {
    return (
      <button type="button" onClick={() => switchChain({ chainId: chain.id })}>
        Switch to {chain.name}
      </button>
    )
  }
  return <Account address={address} />
}

function Account({ address }: { readonly address: `0x${string}` }) {
  const preconfirmed = useBalance({ address: BOB, blockTag: 'pending', query: { refetchInterval } })
  const sealed = useBalance({ address: BOB, blockTag: 'latest', query: { refetchInterval } })
  const send = useSendTransaction()
  const receipt = useTransactionReceipt({
    hash: send.data,
    query: { enabled: send.data !== undefined, refetchInterval },
  })
  return (
    <>
      <p>Connected as {address}</p>
      <button type="button" onClick={() => send.mutate({ to: BOB, value: parseEther('1') })}>
        Send 1 ETH
      </button>
      <p role="status">{send.error ? send.error.message.split('\n')[0] : send.status}</p>
      <p>Pre-confirmed: {preconfirmed.data && formatEther(preconfirmed.data.value)}</p>
      <p>Sealed: {sealed.data && formatEther(sealed.data.value)}</p>
      <p>Receipt: {receipt.data ? `in block ${receipt.data.blockNumber}` : 'none'}</p>
    </>
  )
}
