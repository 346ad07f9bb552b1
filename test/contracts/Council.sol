// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A collection of tokens that can be listed by owner (ERC-721 with enumeration), whose owners have votes, with their history.
contract Collection {
    struct Checkpoint {
        uint48 from;
        uint208 votes;
    }

    string public name = "Collection of the council, whose name has more than one word of storage";
    string public symbol = "SEAT";
    uint256 public totalSupply;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public getApproved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;
    mapping(address => mapping(uint256 => uint256)) public tokenOfOwnerByIndex;
    mapping(uint256 => uint256) private _index;
    mapping(address => address) public delegates;
    mapping(address => Checkpoint[]) private _checkpoints;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event Approval(address indexed owner, address indexed spender, uint256 indexed id);
    event DelegateVotesChanged(address indexed delegate, uint256 before, uint256 votes);

    error NotAllowed(address caller, uint256 id);

    function mint(address to) external returns (uint256 id) {
        id = ++totalSupply;
        _move(address(0), to, id);
    }

    function approve(address spender, uint256 id) external {
        if (ownerOf[id] != msg.sender) revert NotAllowed(msg.sender, id);
        getApproved[id] = spender;
        emit Approval(msg.sender, spender, id);
    }

    function transferFrom(address from, address to, uint256 id) external {
        bool allowed = msg.sender == from || getApproved[id] == msg.sender || isApprovedForAll[from][msg.sender];
        if (ownerOf[id] != from || !allowed) revert NotAllowed(msg.sender, id);
        delete getApproved[id];
        _move(from, to, id);
    }

    function delegate(address to) external {
        address before = delegates[msg.sender];
        delegates[msg.sender] = to;
        _shift(before, to, balanceOf[msg.sender]);
    }

    function votesAt(address account, uint256 number) public view returns (uint256) {
        Checkpoint[] storage all = _checkpoints[account];
        uint256 low = 0;
        uint256 high = all.length;
        while (low < high) {
            uint256 middle = (low + high) / 2;
            if (all[middle].from > number) high = middle;
            else low = middle + 1;
        }
        return low == 0 ? 0 : all[low - 1].votes;
    }

    function _move(address from, address to, uint256 id) private {
        if (from != address(0)) {
            uint256 last = --balanceOf[from];
            uint256 index = _index[id];
            uint256 moved = tokenOfOwnerByIndex[from][last];
            tokenOfOwnerByIndex[from][index] = moved;
            _index[moved] = index;
            delete tokenOfOwnerByIndex[from][last];
        }
        _index[id] = balanceOf[to];
        tokenOfOwnerByIndex[to][balanceOf[to]++] = id;
        ownerOf[id] = to;
        emit Transfer(from, to, id);
        _shift(delegates[from], delegates[to], 1);
    }

    function _shift(address from, address to, uint256 votes) private {
        if (from == to || votes == 0) return;
        if (from != address(0)) _push(from, _latest(from) - votes);
        if (to != address(0)) _push(to, _latest(to) + votes);
    }

    function _latest(address account) private view returns (uint256) {
        uint256 length = _checkpoints[account].length;
        return length == 0 ? 0 : _checkpoints[account][length - 1].votes;
    }

    function _push(address account, uint256 votes) private {
        Checkpoint[] storage all = _checkpoints[account];
        emit DelegateVotesChanged(account, _latest(account), votes);
        if (all.length > 0 && all[all.length - 1].from == block.number) all[all.length - 1].votes = uint208(votes);
        else all.push(Checkpoint(uint48(block.number), uint208(votes)));
    }
}

/// Proposals of calls, on which the votes of a collection decide.
contract Council {
    struct Proposal {
        address proposer;
        uint48 since;
        bool executed;
        uint256 support;
        uint256 against;
        mapping(address => bool) hasVoted;
    }

    Collection public immutable collection;
    uint256 public quorum;
    mapping(bytes32 => Proposal) public proposals;

    event Proposed(bytes32 indexed id, address indexed proposer, string description);
    event Voted(bytes32 indexed id, address indexed voter, bool support, uint256 weight);
    event Executed(bytes32 indexed id, bytes[] results);

    error Refused(bytes32 id, string reason);

    constructor(Collection collection_, uint256 quorum_) payable {
        collection = collection_;
        quorum = quorum_;
    }

    receive() external payable {}

    function propose(address[] calldata targets, uint256[] calldata values, bytes[] calldata data, string calldata text)
        external
        returns (bytes32 id)
    {
        id = idOf(targets, values, data, text);
        Proposal storage proposal = proposals[id];
        if (proposal.proposer != address(0)) revert Refused(id, "exists");
        proposal.proposer = msg.sender;
        proposal.since = uint48(block.number - 1);
        emit Proposed(id, msg.sender, text);
    }

    function vote(bytes32 id, bool support) external {
        Proposal storage proposal = proposals[id];
        if (proposal.hasVoted[msg.sender]) revert Refused(id, "voted");
        uint256 weight = collection.votesAt(msg.sender, proposal.since);
        if (weight == 0) revert Refused(id, "no votes");
        proposal.hasVoted[msg.sender] = true;
        if (support) proposal.support += weight;
        else proposal.against += weight;
        emit Voted(id, msg.sender, support, weight);
    }

    function execute(address[] calldata targets, uint256[] calldata values, bytes[] calldata data, string calldata text)
        external
    {
        bytes32 id = idOf(targets, values, data, text);
        Proposal storage proposal = proposals[id];
        if (proposal.support < quorum || proposal.support <= proposal.against) revert Refused(id, "no majority");
        if (proposal.executed) revert Refused(id, "executed");
        proposal.executed = true;
        bytes[] memory results = new bytes[](targets.length);
        for (uint256 i = 0; i < targets.length; i++) {
            (bool ok, bytes memory output) = targets[i].call{value: values[i]}(data[i]);
            if (!ok) revert Refused(id, "failed");
            results[i] = output;
        }
        emit Executed(id, results);
    }

    function setQuorum(uint256 quorum_) external {
        require(msg.sender == address(this), "only by proposal");
        quorum = quorum_;
    }

    function idOf(address[] calldata targets, uint256[] calldata values, bytes[] calldata data, string calldata text)
        public
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(targets, values, data, text));
    }
}

/// Runs the code of an implementation on its own storage (ERC-1967).
contract UpgradeableProxy {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) payable {
        assembly ("memory-safe") {
            sstore(SLOT, implementation)
        }
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
